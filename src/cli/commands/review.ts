import { sheetSections } from '../../display-rules.ts'
import type { Loadout, WaitingSkill } from '../../loadout.ts'
import { count, createScreen, lines, printableLine, printableText, type Screen, shorten } from '../screen.ts'

type Sheet = WaitingSkill['open']

/** Of each kind; the others are counted. */
const MOST_LINES = 12

/** What a skill can do, under a heading for each kind, worst first. */
export function describeSheet(sheet: Sheet, screen: Screen, indent = '  '): string[] {
  return sheetSections(sheet).flatMap(([title, same]) => {
    const more = same.length - MOST_LINES
    return [
      `${indent}${screen.strong(title)}`,
      ...same.slice(0, MOST_LINES).flatMap(({ path, line, what, quote, isAlarming }) => {
        const place = printableLine(`${indent}  ${path}${line > 0 ? `:${line}` : ''} ${what}`)
        return [
          isAlarming ? screen.alert(place) : place,
          ...(quote === '' ? [] : [screen.faint(`${indent}    ${shorten(quote, 110)}`)]),
        ]
      }),
      ...(more > 0 ? [`${indent}  and ${count(more, 'more', 'more')}`] : []),
    ]
  })
}

/**
 * On a terminal: shows what the skills can do and what packs and rules say, and asks once for all of them. Records exactly what was shown. Returns the
 * skills that were allowed.
 */
export async function askForSheets(
  waiting: readonly WaitingSkill[],
  ask: ((question: string) => string) | undefined,
  loadout: Loadout,
  project?: string,
): Promise<string[]> {
  if (ask === undefined || waiting.length === 0) return []
  const screen = createScreen(false)
  const sheets = waiting.flatMap(({ skill, open, kind, path = '', text = '' }) =>
    kind === undefined
      ? [printableLine(`${skill} can do this:`), ...describeSheet(open, screen), '']
      : [printableLine(`The ${kind} ${skill} says this (${path}):`), printableText(text), ''],
  )
  const whom = waiting.length === 1 ? 'it' : `all ${waiting.length}`
  const answer = ask(`${lines(sheets)}Allow ${whom}? [y: yes, n: never, Enter: not now] `)
  const isNever = /^n(?:o|ever)?$/i.test(answer)
  const isYes = /^y(?:es)?$/i.test(answer)
  for (const { skill, open, kind = 'skill' } of isNever || isYes ? waiting : []) {
    const what = `${kind}:${skill}`
    if (isYes) await loadout.agents.approve({ what, shown: open, project })
    else await loadout.agents.deny({ what, project })
  }
  return isYes ? waiting.map(({ skill }) => skill) : []
}
