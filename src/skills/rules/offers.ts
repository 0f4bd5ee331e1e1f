import { LoadoutError } from '../../text/trouble.ts'
import { nearest } from '../../text/values.ts'
import type { ImportCandidate } from './candidates.ts'
import { requireName } from './skill.ts'

/** Not in the library; in it identically; its name is used by another skill; its copies disagree. */
export type OfferState = 'new' | 'unchanged' | 'taken' | 'blocked'

/** A skill that could be imported, under its future name. */
export interface Offer {
  candidate: ImportCandidate
  name: string
  state: OfferState
  reason?: string
}

export interface Naming {
  names?: readonly string[]
  as?: string
  prefix?: string
}

/** Gives each candidate its name in the library. */
export function nameOffers(candidates: readonly ImportCandidate[], naming: Naming): Offer[] {
  const { as, prefix = '' } = naming
  const offers = separate(candidates, naming).map((candidate): Offer => {
    const name = prefix === '' ? candidate.name : requireName(`${prefix}${candidate.name}`)
    return { candidate, name, state: 'new' }
  })
  if (as === undefined) return offers
  const meant = naming.names === undefined ? offers : chooseOffers(offers, naming.names)
  if (meant.length !== 1) {
    throw new LoadoutError('USAGE', `--as names one skill, and ${meant.length} were found`, {
      hint: 'choose one with --skill <name>, or use --prefix <text>',
    })
  }
  const name = requireName(as)
  return offers.map((offer) => (offer === meant[0] ? { ...offer, name } : offer))
}

/** If the user names a folder, only that copy counts, even if other folders have a skill of the same name. */
function separate(candidates: readonly ImportCandidate[], { names = [] }: Naming): ImportCandidate[] {
  return candidates.flatMap((candidate) => {
    const named = candidate.copies.filter(
      ({ found }) => found !== undefined && names.some((each) => isFolder(each, found.folder)),
    )
    if (candidate.merged !== undefined || named.length === 0) return [candidate]
    return named.map((copy) => ({ name: candidate.name, copies: [copy], merged: copy }))
  })
}

function isFolder(named: string, folder: string): boolean {
  return folder !== '' && named.replace(/^\.\//, '').replace(/\/+$/, '') === folder
}

/** Finds offers by their current or future name, folder or plugin. Throws for a word without a match. */
export function chooseOffers(offers: readonly Offer[], names: readonly string[]): Offer[] {
  const words = names
    .flatMap((name) => name.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const chosen = new Set<Offer>()
  for (const word of words) {
    const meant = offers.filter((offer) => isMeant(offer, word))
    if (meant.length === 0) throw notOffered(word, offers)
    for (const offer of meant) chosen.add(offer)
  }
  return offers.filter((offer) => chosen.has(offer))
}

function isMeant({ candidate, name }: Offer, word: string): boolean {
  if (candidate.name === word || name === word) return true
  return candidate.copies.some(
    ({ found }) => found !== undefined && (found.plugin === word || isFolder(word, found.folder)),
  )
}

function notOffered(word: string, offers: readonly Offer[]): LoadoutError {
  const close = nearest(
    word,
    offers.map(({ name }) => name),
  )
  return new LoadoutError(
    'SKILL_NOT_FOUND',
    `there is no skill ${JSON.stringify(word)} in it${close === undefined ? '' : `; did you mean ${close}?`}`,
    { hint: '--list shows what is there' },
  )
}
