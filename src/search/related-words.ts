import { stemWord } from './stem.ts'

// Words that stand for one another, or for one subject, in general English and computing; one group a line. A task
// says "bitcoin" where a description says "finance".
const LIST = `
error fail failure fault crash bug broken exception problem issue
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

export interface Related {
  readonly term: string
  readonly word: string
}

// Lines as words, and what was asked for already. Stemming the whole list would take longer than ranking a task.
let lines: readonly (readonly string[])[] | undefined
const known = new Map<string, readonly Related[]>()
const MOST_KNOWN = 5000

/** What is related to a term, in the order of the list. */
export function relatedTo(term: string): readonly Related[] {
  let related = known.get(term)
  if (related === undefined) {
    related = findRelated(term)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(term, related)
  }
  return related
}

function findRelated(term: string): Related[] {
  lines ??= LIST.trim()
    .split('\n')
    .map((line) => line.split(' '))
  const found = new Map<string, Related>()
  // A stem begins like its word.
  const start = term.slice(0, 2)
  for (const words of lines) {
    if (!words.some((word) => word.startsWith(start) && stemWord(word) === term)) continue
    for (const word of words) {
      const other = stemWord(word)
      if (other !== term && !found.has(other)) found.set(other, { term: other, word })
    }
  }
  return [...found.values()]
}
