import { sheetSections, summarizeSheet } from '../../display-rules.ts'
import type { Loadout, WaitingSkill } from '../../loadout.ts'
import { alignRows, count, createScreen, lines, printableLine, printableText, type Screen, shorten } from '../screen.ts'

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
          ...(quote === '' ? [] : [screen.faint(`${indent}    ${shorten(quote, Math.max(40, screen.columns - 8))}`)]),
        ]
      }),
      ...(more > 0 ? [`${indent}  and ${count(more, 'more', 'more')}`] : []),
    ]
  })
}

/**
 * On a terminal: shows what the skills can do and what packs and rules say, and asks once for all of them, or about each.
 * Records exactly what was shown. Returns what was allowed.
 */
export async function askForSheets(
  waiting: readonly WaitingSkill[],
  ask: ((question: string) => string) | undefined,
  loadout: Loadout,
  project?: string,
): Promise<string[]> {
  if (ask === undefined || waiting.length === 0) return []
  const screen = createScreen(false, process.stdout.columns)
  const sheets = waiting.flatMap(({ skill, open, kind, path = '', text = '' }) =>
    kind === undefined
      ? [printableLine(`${skill} can do this:`), ...describeSheet(open, screen), '']
      : [printableLine(`The ${kind} ${skill} says this (${path}):`), printableText(text), ''],
  )
  const isOne = waiting.length === 1
  // What scrolled past, in one line each.
  const rows = waiting.map(({ skill, open, kind }) => [`  ${skill}`, kind ?? summarizeSheet(open)])
  const brief = isOne ? [] : [...alignRows(rows).map((row) => shorten(row, screen.columns)), '']
  const which = isOne ? 'it? [y: yes' : `all ${waiting.length}? [y: yes, e: ask about each`
  const answer = ask(`${lines(sheets, brief)}Allow ${which}, n: never, Enter: not now] `)
  if (!isOne && /^e(?:ach)?$/i.test(answer)) {
    const allowed: string[] = []
    for (const each of waiting) allowed.push(...(await askForSheets([each], ask, loadout, project)))
    return allowed
  }
  const isNever = /^n(?:o|ever)?$/i.test(answer)
  const isYes = /^y(?:es)?$/i.test(answer)
  for (const { skill, open, kind = 'skill' } of isNever || isYes ? waiting : []) {
    const what = `${kind}:${skill}`
    if (isYes) await loadout.agents.approve({ what, shown: open, project })
    else await loadout.agents.deny({ what, project })
  }
  return isYes ? waiting.map(({ skill }) => skill) : []
}
