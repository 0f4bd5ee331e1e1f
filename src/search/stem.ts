// English suffix stripping by the rules of Porter's second stemmer. Only a-z words are stemmed; any other word is
// returned unchanged. Callers limit the length of a word (isVowel recurses over runs of y).

const VOWEL = 'aeiouy'
const DOUBLE = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt'])
const LI_ENDING = 'cdeghkmnrt'

// Words the rules get wrong, and irregular forms of frequent ones, with the stem they share.
const IRREGULAR = new Map([
  ['skies', 'sky'],
  ['sky', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['analysis', 'analyz'],
  ['analyses', 'analyz'],
  ['analyse', 'analyz'],
  ['built', 'build'],
  ['sent', 'send'],
  ['wrote', 'write'],
  ['written', 'write'],
  ['ran', 'run'],
  ['found', 'find'],
  ['bought', 'buy'],
  ['sold', 'sell'],
  ['paid', 'pay'],
  ['broke', 'break'],
  ['broken', 'break'],
  ['chose', 'choos'],
  ['chosen', 'choos'],
  ['failure', 'fail'],
  ['failures', 'fail'],
  ['began', 'begin'],
  ['kept', 'keep'],
  ['lost', 'lose'],
  ['taught', 'teach'],
  ['spoke', 'speak'],
  ['spoken', 'speak'],
  ['took', 'take'],
  ['taken', 'take'],
  ['drew', 'draw'],
  ['drawn', 'draw'],
  ['drove', 'drive'],
  ['driven', 'drive'],
  ['flew', 'fli'],
  ['flown', 'fli'],
  ['children', 'child'],
  ['people', 'person'],
  ['indices', 'index'],
  ['matrices', 'matrix'],
  ['vertices', 'vertex'],
  ['dependency', 'depend'],
  ['dependencies', 'depend'],
  ['expiry', 'expir'],
])

// Searched with `find`: a loop over lists would allocate kilobytes for each word.
const EED = ['eedly', 'eed']
const INFLECTIONS = ['ingly', 'edly', 'ing', 'ed']

const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]

const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]

const STEP_4 = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
]

/** British spelling: `optimise`, `organisation`. Other words that match (`promise`) change alike in all their forms. */
const BRITISH = /^(.{4,})is(e|ed|es|ing|er|ers|ation|ations)$/

export function stemWord(typed: string): string {
  if (typed.length < 3 || !isLowerAscii(typed)) return typed
  const irregular = IRREGULAR.get(typed)
  if (irregular !== undefined) return irregular
  const word = typed.indexOf('is', 4) < 0 ? typed : typed.replace(BRITISH, '$1iz$2')
  const start = regionAfterVowel(word, 0)
  const inner = regionAfterVowel(word, start)
  let result = stripPlural(word)
  result = stripInflection(result, start)
  result = softenFinalY(result)
  result = replaceSuffix(result, STEP_2, start)
  result = stripLi(result, start)
  result = replaceSuffix(result, STEP_3, start)
  if (result.endsWith('ative') && result.length - 5 >= inner) result = result.slice(0, -5)
  result = stripDerivation(result, inner)
  return stripFinal(result, start, inner)
}

function isLowerAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code < 97 || code > 122) return false
  }
  return true
}

function isVowel(word: string, at: number): boolean {
  const char = word[at]
  if (char === undefined) return false
  if (char === 'y') return at > 0 && !isVowel(word, at - 1)
  return VOWEL.includes(char)
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

function stripPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1)
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function stripInflection(word: string, start: number): string {
  const long = EED.find((each) => word.endsWith(each))
  if (long !== undefined) return word.length - long.length >= start ? `${word.slice(0, -long.length)}ee` : word
  const suffix = INFLECTIONS.find((each) => word.endsWith(each))
  const rest = suffix === undefined ? '' : word.slice(0, -suffix.length)
  return hasVowel(rest) ? repairEnding(rest, start) : word
}

function repairEnding(rest: string, start: number): string {
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`
  if (DOUBLE.has(rest.slice(-2))) return rest.slice(0, -1)
  return start >= rest.length && endsShort(rest) ? `${rest}e` : rest
}

function endsShort(word: string): boolean {
  const last = word.length - 1
  if (last < 1) return false
  if (last === 1) return isVowel(word, 0) && !isVowel(word, 1)
  return (
    !isVowel(word, last) && !'wxy'.includes(word[last] ?? '') && isVowel(word, last - 1) && !isVowel(word, last - 2)
  )
}

function softenFinalY(word: string): string {
  const last = word.length - 1
  return last > 1 && word[last] === 'y' && !isVowel(word, last - 1) ? `${word.slice(0, -1)}i` : word
}

function replaceSuffix(word: string, rules: readonly (readonly [string, string])[], start: number): string {
  const rule = rules.find((each) => word.endsWith(each[0]))
  return rule !== undefined && word.length - rule[0].length >= start ? word.slice(0, -rule[0].length) + rule[1] : word
}

function stripLi(word: string, start: number): string {
  if (word.endsWith('logi') && word.length - 3 >= start) return word.slice(0, -1)
  if (!word.endsWith('li') || word.length - 2 < start) return word
  return LI_ENDING.includes(word[word.length - 3] ?? '') ? word.slice(0, -2) : word
}

function stripDerivation(word: string, inner: number): string {
  const suffix = STEP_4.find((each) => word.endsWith(each))
  if (suffix !== undefined) return word.length - suffix.length >= inner ? word.slice(0, -suffix.length) : word
  const isIon = word.endsWith('sion') || word.endsWith('tion')
  return isIon && word.length - 3 >= inner ? word.slice(0, -3) : word
}

function stripFinal(word: string, start: number, inner: number): string {
  const last = word.length - 1
  if (word[last] === 'e') {
    const rest = word.slice(0, -1)
    return last >= inner || (last >= start && !endsShort(rest)) ? rest : word
  }
  return word.endsWith('ll') && last >= inner ? word.slice(0, -1) : word
}
