// Words that say nothing about the subject of a task. Dropped from documents and tasks alike.
const STOP_LIST = `
a an the this that these those there here it its itself
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself they
them their theirs themselves oneself
who whom whose which what when where why how
is am are was were be been being do does did doing done have has had having
can could will would shall should may might must cannot
and or but nor so if then else than as at by for from in into of off on onto out over to up with without within
about after before between during through under above below again
not no yes also just only even very too more most much many few some any each every all both either neither other
another such same own don doesn didn isn aren wasn weren won wouldn couldn shouldn ll ve re im
please thanks thank hi hey hello ok okay let lets want wants wanted need needs needed like get gets got getting
give gives given make makes making made know via per etc eg ie vs`

export const STOP_WORDS: ReadonlySet<string> = new Set(STOP_LIST.trim().split(/\s+/))

// Everyday English: frequent in any conversation, so a hit says little about the subject even where a library happens
// to use the word rarely. Own list; see scorer.ts for what it is used for.
const EVERYDAY_LIST = `
able absolutely actual actually adequate advance advice advise affect afraid ago agree ahead allow almost alone along
already although always amazing amount angry annoyed anybody anymore anyone anything anyway anywhere apart appear
appreciate appropriate area around ask aspect assist assistance assume attempt available average avoid aware away
awesome awful back bad badly barely basic basically beautiful become began begin believe benefit best better beyond
big bit boring brief bring broad bunch busy call came careful case certain certainly chance clear clearly close come
comfortable common complete completely comprehensive concern concerned confused consider considering consist
constantly contain convenient correct correctly couple crazy curious current currently day decide deep definitely
depend deserve desire detail detailed difference different difficult difficulty directly discover double drop due
early ease easily easy effective effectively efficient eight else end enjoy enough ensure entire entirely especially
essential even evening eventually ever everybody everyone everything everywhere exact exactly example excellent
excited exciting exist existing expect experience explain extra extremely face fact fairly fall familiar famous far
fast favorite favourite feel fell felt figure final finally fine finish firm first five folk follow following forget
former forward four frequently friend frustrated frustrating full fully fun further future generally genuine glad go
going gone good gotten great greatly guess guy half handle handy happen happening happy hard hardly hate hear heard
heavy help helpful high highly hold honest honestly hope hour huge hundred idea ideal ideally immediately important
impossible impress include including incredible indeed individual information inside instead intend intention interest
interested interesting involve issue item keep kept kind large largely last late lately later latest least leave left
less level likely limited little long look looking lot love low lucky main mainly major make manner matter maybe mean
mention mind minute miss missing moment month morning mostly move much multiple named near nearby nearly necessary
never new next nice night nine nobody none normal normally nothing notice noticed now numerous obtain obvious
obviously occasionally offer often old one onto opportunity option ordinary original otherwise outside overall part
particular particularly past people perfect perhaps person personal personally pick piece place plain plenty plus
point poor popular possible possibly potential potentially prefer preferably present pretty previous previously
probably problem proper properly provide purpose put question quick quickly quiet quite random range rarely rather
reach ready real realize really reason reasonable receive recent recently recommend recommendation recommended regard
regarding regular relate related relevant reliable remain remember require required respect respectively rest result
right rough roughly round sad said saw say scared second see seek seem seen select sense separate seriously seven
several share short show shown sick side significant silently similar simple simply since single six slightly slow
slowly small somebody somehow someone something sometimes somewhat somewhere soon sorry sort special specific
specifically spend stand start started state stay step stick still straight strange strong struggle stuck stuff stupid
suddenly suggest suggestion suit suitable super suppose supposed sure surely surprise surprised take taken tell ten
tend terrible thing think third thorough though thought thousand three throughout thus tight till time tiny tired
today together told tomorrow tonight took top topic total totally tough toward towards tried trouble true truly try
trying twenty twice two type ultimately unable understand understanding unfortunately unique unless unlike until
upcoming upon urgent urgently use used useful uses using usual usually vague variety various vast wait walk wanna
wanting way week weekend weird well went whatever whenever whether while whole wide willing wish woman wonder
wonderful wondering work working world worry worse worst worth wrong yeah year yesterday yet young`

export function everydayWords(): string[] {
  return EVERYDAY_LIST.trim().split(/\s+/)
}

// Words that stand for one another, or for one subject, in general English and computing; one group a line. A task
// says "bitcoin" where a description says "finance".
const RELATED_LIST = `
error fail failure fault crash bug broken break exception problem issue
why cause root diagnose troubleshoot debug investigate triage
fix repair resolve solve recover troubleshoot
delete remove uninstall drop erase purge
create generate build make author scaffold draft write
edit modify change update alter revise
list show view display browse enumerate fetch retrieve
find search discover lookup locate explore
send deliver dispatch post submit
approve approval sign-off consent authorize escalate
human person people manual
review audit inspect assess evaluate critique
check verify validate confirm test
plan design architect blueprint roadmap strategy
deploy publish release ship rollout launch
install setup configure onboard
slow performance speed latency bottleneck optimize
secure security vulnerability threat hack malware attack exploit scan
login signin authenticate authentication credential password oauth sso
permission role access authorize rbac privilege
secret key token credential
log trace telemetry monitor observability metric
alert notify notification alarm remind reminder
schedule cron timer calendar appointment event meeting
container docker kubernetes pod cluster
database sql query table schema record
storage bucket blob file upload download
picture image photo photograph illustration drawing artwork visual
video film clip footage youtube
movie film cinema show series tv television watch streaming
audio sound voice speech speak listen
transcribe transcript subtitle caption transcription
music song playlist melody album artist band lyric chord
translate translation language multilingual localize foreign
summarize summary digest abstract condense overview
document pdf doc file word
article blog post essay content
research academic paper study scholar journal literature thesis scientific
book novel reading author literature
course learn learning tutorial lesson class curriculum education training teach study
student school university college education kid child
job career resume interview hire employment recruit vacancy salary
company business organization enterprise firm corporation startup
finance financial stock invest investment portfolio market trading fund bond asset wealth
crypto cryptocurrency bitcoin ethereum token coin blockchain nft wallet
finance crypto cryptocurrency bitcoin ethereum
currency exchange convert dollar euro yen forex rate
money cost price budget pay payment expense spend
tax vat duty
buy purchase shop shopping product store retail
product laptop phone smartphone gadget appliance shoe camera item
cheap discount coupon deal promo sale bargain save
gift present birthday anniversary wedding
rent lease rental tenant apartment
house home property apartment estate condo mortgage bedroom
travel trip hotel vacation holiday tour tourism itinerary destination accommodation sightseeing attraction
travel flight airline airport ticket plane
train bus subway metro transit ferry timetable
car vehicle auto automobile drive driver
map direction route navigate location address place
restaurant dinner dining eat reservation lunch cafe
recipe cook ingredient meal dish food cuisine bake
diet nutrition calorie healthy food weight
health medical doctor medicine disease patient clinical symptom treatment
exercise fitness workout gym
weather forecast temperature rain climate storm
news headline politics current breaking
law legal lawyer contract regulation legislation court statute compliance
game play player gaming puzzle
sport football soccer basketball baseball team league match score
horoscope zodiac astrology astrological sign
space planet astronomy galaxy star nebula
joke funny humor humorous comedy laugh
story tale fiction narrative
art painting museum artist
draw diagram chart graph plot visualize visualization flowchart
dashboard chart metric analytics report kpi
analyze analysis analytics insight statistics
email mail inbox newsletter
message chat conversation text sms
social media tweet twitter instagram linkedin facebook tiktok
ad advertise advertising advertisement campaign promotion marketing
seo keyword rank backlink
website site web webpage page landing
url link domain website
scrape crawl extract parse harvest
code program programming script software developer coding
repository repo git github commit
documentation docs readme guide manual
test qa regression suite
spreadsheet excel csv sheet
form survey questionnaire field input
customer client buyer
lead prospect
cancel churn retention unsubscribe
pricing plan subscription paywall tier
chatbot assistant bot agent
note journal diary
task todo reminder
math calculate calculator calculation equation compute
donate charity nonprofit volunteer donation
pet dog cat animal
plant garden flower
fashion clothes clothing outfit dress style wear
beauty cosmetic makeup skincare
earthquake quake seismic magnitude
podcast episode
upgrade migrate migration port modernize
rename refactor restructure cleanup
workflow process automation pipeline automate orchestrate
model llm ai gpt
popup modal overlay
icon logo brand
presentation slide deck
prompt instruction
review rating feedback opinion
suggest recommend recommendation advice idea
compare comparison versus alternative
goal habit motivation productivity
server host infrastructure cloud
mobile android ios app
endpoint api rest http request
webhook callback event trigger
queue message broker
cache memory
encrypt encryption tls certificate
concurrency thread async parallel
queue job worker
user account member
group team organization
password login account`

// What people who write software ask for all day, whatever it is about: "fix the failing test", "add a column".
const WORK_LIST = `
account action add adjust api app application apply argument async await bar blank border box branch break broken bug
build bump button certificate change changelog check class clean clear click client close code color column comment
commit compare compile component config configure console convert copy count crash create customer cut dark data
database date debug default delete dependency deploy describe design dialog directory disable display docs document
documentation download edit editor email empty enable endpoint environment error exception expire explain extend
extract fail failure faster feature field file filter find fix flag flaky folder form format framework friendly
function generate git github handler header health helper hide history icon image implement import improve index input
insert install issue job label language layout library line link lint linter list load locally log login logo loop mail
menu merge message method migration mobile mock modal mode model module name night null number object open optimize
option order output package page pagination parameter parse password path payment performance pipeline place port press
price print process product profile project public publish pull push query read readme refactor release remove rename
render replace repo repository request reset response retry return reuse review rewrite run save schedule screen script
scroll search secure send server service setting setup show sign simplify size sort source spinner split sql store
string style submit sum support switch tab table tag task team test text theme timeout title token tool translate
typescript typo undefined undo unit update upgrade upload user util utils validate validation value variable verify
version view warning web website window write`

// Searched as texts: a list of words or stems would take longer to make than a task takes to rank.

/** Whether a term is the stem of an everyday word. */
export function isEveryday(term: string): boolean {
  return isOneOf(EVERYDAY_LIST, term)
}

/** Whether a term is the stem of a word that tasks about any software have. */
export function isWorkWord(term: string): boolean {
  return isOneOf(WORK_LIST, term)
}

function isOneOf(list: string, term: string): boolean {
  return wordsLike(list, term).some(({ word }) => stemWord(word) === term)
}

/**
 * The words of a list that may have this stem, and where. A word begins like its stem but for the last letter; of one that
 * does not (kept), the list has another form too (keep).
 */
function wordsLike(list: string, term: string): { word: string; at: number }[] {
  const found: { word: string; at: number }[] = []
  const start = term.slice(0, Math.max(2, term.length - 1))
  for (let at = list.indexOf(start); at >= 0 && start !== ''; at = list.indexOf(start, at + 1)) {
    if (!isBlank(list.charCodeAt(at - 1))) continue
    let end = at
    while (end < list.length && !isBlank(list.charCodeAt(end))) end++
    found.push({ word: list.slice(at, end), at })
  }
  return found
}

// A blank or the end of a line.
function isBlank(unit: number): boolean {
  return unit === 32 || unit === 10
}

export interface Related {
  readonly term: string
  readonly word: string
}

const known = new Map<string, readonly Related[]>()
/** What is related to a term, in the order of the list. */
export function relatedTo(term: string): readonly Related[] {
  const before = known.get(term)
  if (before !== undefined) return before
  const found = new Map<string, Related>()
  let read = 0
  for (const { word, at } of wordsLike(RELATED_LIST, term)) {
    if (at < read || stemWord(word) !== term) continue
    const end = RELATED_LIST.indexOf('\n', at)
    read = end < 0 ? RELATED_LIST.length : end
    for (const other of RELATED_LIST.slice(RELATED_LIST.lastIndexOf('\n', at) + 1, read).split(' ')) {
      const stem = stemWord(other)
      if (stem !== term && !found.has(stem)) found.set(stem, { term: stem, word: other })
    }
  }
  const related = [...found.values()]
  if (known.size >= 5000) known.clear()
  known.set(term, related)
  return related
}

// English suffix stripping by the rules of Porter's second stemmer. Only a-z words are stemmed; any other word is
// returned unchanged. Callers limit the length of a word (isVowel recurses over runs of y).

// Words the rules get wrong, and irregular forms of frequent ones, behind the stem they share.
const IRREGULAR = new Map(
  `sky: skies sky; die: dying; lie: lying; tie: tying; news: news; analyz: analysis analyses analyse;
build: built; send: sent; write: wrote written; run: ran; find: found; buy: bought; sell: sold; pay: paid;
break: broke broken; choos: chose chosen; fail: failure failures; begin: began; keep: kept; lose: lost;
teach: taught; speak: spoke spoken; take: took taken; draw: drew drawn; drive: drove driven;
fli: flew flown; child: children; person: people; index: indices; matrix: matrices; vertex: vertices;
depend: dependency dependencies; expir: expiry`
    .split(/;\s/)
    .flatMap((row) => {
      const [stem = '', words = ''] = row.split(': ')
      return words.split(' ').map((word) => [word, stem] as const)
    }),
)

// The suffixes of a step of the rules, and what takes their place. Searched with `find`: a loop over lists would allocate
// kilobytes for each word.
const EED = [
  ['eedly', 'ee'],
  ['eed', 'ee'],
] as const
const INFLECTIONS = [
  ['ingly', ''],
  ['edly', ''],
  ['ing', ''],
  ['ed', ''],
] as const
const STEP_2 = suffixes(
  'ization>ize ational>ate fulness>ful ousness>ous iveness>ive tional>tion biliti>ble lessli>less entli>ent ation>ate alism>al aliti>al ousli>ous iviti>ive fulli>ful enci>ence anci>ance abli>able izer>ize ator>ate alli>al bli>ble',
)
const STEP_3 = suffixes('ational>ate tional>tion alize>al icate>ic iciti>ic ical>ic ful> ness>')
const STEP_4 = suffixes('ement> ance> ence> able> ible> ment> ant> ent> ism> ate> iti> ous> ive> ize> al> er> ic>')

function suffixes(rows: string): readonly (readonly [suffix: string, instead: string])[] {
  return rows.split(' ').map((row) => row.split('>') as [string, string])
}

/** British spelling: `optimise`, `organisation`. Other words that match (`promise`) change alike in all their forms. */
const BRITISH = /^(.{4,})is(e|ed|es|ing|er|ers|ation|ations)$/

export function stemWord(typed: string): string {
  if (typed.length < 3 || !/^[a-z]+$/.test(typed)) return typed
  const irregular = IRREGULAR.get(typed)
  if (irregular !== undefined) return irregular
  let word = typed.indexOf('is', 4) < 0 ? typed : typed.replace(BRITISH, '$1iz$2')
  const start = regionAfterVowel(word, 0)
  const inner = regionAfterVowel(word, start)
  // Whether a suffix of this length is in a region.
  const isIn = (region: number, length: number) => word.length - length >= region
  const replace = (rows: readonly (readonly [string, string])[], region: number): boolean => {
    const row = rows.find(([suffix]) => word.endsWith(suffix))
    if (row !== undefined && isIn(region, row[0].length)) word = word.slice(0, -row[0].length) + row[1]
    return row !== undefined
  }

  // Plurals.
  if (word.endsWith('sses')) word = word.slice(0, -2)
  else if (word.endsWith('ied') || word.endsWith('ies')) word = word.slice(0, word.length > 4 ? -2 : -1)
  else if (/[^us]s$/.test(word) && hasVowel(word.slice(0, -2))) word = word.slice(0, -1)

  // Inflections, and the ending that they changed.
  if (!replace(EED, start)) {
    const row = INFLECTIONS.find(([suffix]) => word.endsWith(suffix))
    const rest = row === undefined ? '' : word.slice(0, -row[0].length)
    if (hasVowel(rest)) {
      if (/(?:at|bl|iz)$/.test(rest)) word = `${rest}e`
      else if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) word = rest.slice(0, -1)
      else word = start >= rest.length && endsShort(rest) ? `${rest}e` : rest
    }
  }
  if (word.length > 2 && word.endsWith('y') && !isVowel(word, word.length - 2)) word = `${word.slice(0, -1)}i`

  // Derivations.
  replace(STEP_2, start)
  if (word.endsWith('logi')) {
    if (isIn(start, 3)) word = word.slice(0, -1)
  } else if (/[cdeghkmnrt]li$/.test(word) && isIn(start, 2)) word = word.slice(0, -2)
  replace(STEP_3, start)
  if (word.endsWith('ative') && isIn(inner, 5)) word = word.slice(0, -5)
  if (!replace(STEP_4, inner) && /[st]ion$/.test(word) && isIn(inner, 3)) word = word.slice(0, -3)

  const last = word.length - 1
  if (word.endsWith('e')) {
    return last >= inner || (last >= start && !endsShort(word.slice(0, -1))) ? word.slice(0, -1) : word
  }
  return word.endsWith('ll') && last >= inner ? word.slice(0, -1) : word
}

function isVowel(word: string, at: number): boolean {
  const char = word[at]
  if (char === undefined) return false
  return char === 'y' ? at > 0 && !isVowel(word, at - 1) : 'aeiou'.includes(char)
}

// The part after the first non-vowel that follows a vowel.
function regionAfterVowel(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i++) {
    if (!isVowel(word, i) && isVowel(word, i - 1)) return i + 1
  }
  return word.length
}

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (isVowel(word, i)) return true
  return false
}

function endsShort(word: string): boolean {
  const last = word.length - 1
  if (last < 1 || isVowel(word, last) || !isVowel(word, last - 1)) return false
  return last === 1 || (!'wxy'.includes(word[last] ?? '') && !isVowel(word, last - 2))
}
