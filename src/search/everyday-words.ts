// Everyday English: frequent in any conversation, so a hit says little about the subject even where a library happens
// to use the word rarely. Own list; see rarity.ts for what it is used for.
const LIST = `
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

export const EVERYDAY_WORDS: readonly string[] = LIST.trim().split(/\s+/)
