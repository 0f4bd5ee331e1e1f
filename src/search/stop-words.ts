// Words that say nothing about the subject of a task. Dropped from documents and tasks alike.
const LIST = `
a an the this that these those there here it its itself
i me my mine myself we us our ours you your yours he him his she her they them their theirs
who whom whose which what when where why how
is am are was were be been being do does did doing done have has had having
can could will would shall should may might must cannot
and or but nor so if then else than as at by for from in into of off on onto out over to up with without within
about after before between during through under above below again
not no yes also just only even very too more most much many few some any each every all both either neither other
another such same own don doesn didn isn aren wasn weren won wouldn couldn shouldn ll ve re im
please thanks thank hi hey hello ok okay let lets want wants wanted need needs needed like get gets got getting
give gives given make makes making made know via per etc eg ie vs`

export const STOP_WORDS: ReadonlySet<string> = new Set(LIST.trim().split(/\s+/))
