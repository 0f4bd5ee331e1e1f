import { grouped } from '../text/count.ts'
import {
  block,
  clipLine,
  fitLine,
  insideOf,
  type Line,
  lineWidth,
  overlay,
  type Size,
  type Style,
  span,
  spread,
  styled,
  wrapped,
} from './frame/line.ts'
import { textPane } from './frame/rows.ts'
import { bindingsOf, isTyping, keyName, keyPlace } from './keys.ts'
import { type Model, type Notice, type ScreenId, shortPath } from './model.ts'
import { viewDoctor } from './screens/doctor.ts'
import { viewImport } from './screens/import.ts'
import { viewInventory } from './screens/inventory.ts'
import { viewMerge } from './screens/merge.ts'
import { viewOverlay, viewProfiles } from './screens/overlays.ts'
import { hasStatusLine, middleOf } from './screens/regions.ts'
import { viewSettings } from './screens/settings.ts'
import { viewSetup } from './screens/setup.ts'
import { TEXTS } from './screens/texts.ts'
import { viewUpdate } from './screens/update.ts'
import { needsAttention, SIGNS } from './signs.ts'

const SCREEN_VIEWS: Record<Exclude<ScreenId, keyof typeof TEXTS>, (model: Model, size: Size) => Line[]> = {
  inventory: viewInventory,
  import: viewImport,
  update: viewUpdate,
  merge: viewMerge,
  doctor: viewDoctor,
  profiles: viewProfiles,
  settings: viewSettings,
  setup: viewSetup,
}

/** The whole screen: exactly as many lines as the terminal has, each exactly as wide. */
export function view(model: Model): Line[] {
  const { columns, rows } = model.size
  const last = footer(model, columns)
  const middle = middleOf(model.size)
  const shown = viewScreen(model, { columns, rows: middle.rows - last.length + 1 })
  const status = hasStatusLine(model.size) ? [statusLine(model, columns)] : []
  const screen = rows > 2 ? [header(model, columns), ...status, ...shown, ...last] : [...shown, ...last]
  const box = viewOverlay(model)
  const sized = block(screen, model.size)
  return box === undefined ? sized : block(overlay(sized, box, model.size), model.size)
}

function viewScreen(model: Model, size: Size): Line[] {
  const { screen } = model
  if (!(screen in TEXTS)) return SCREEN_VIEWS[screen as keyof typeof SCREEN_VIEWS](model, size)
  const { title, lines } = TEXTS[screen as keyof typeof TEXTS]
  const { at } = model[screen as keyof typeof TEXTS]
  return textPane(styled(title(model), 'strong'), lines(model, insideOf(size).columns), at, size)
}

function header(model: Model, columns: number): Line {
  const { inventory, project } = model
  const scope = model.scope === 'project' ? `project ${project?.split('/').at(-1) ?? ''}` : 'user scope'
  const left = [span(' Loadout', 'strong'), span(`  ${scope}`)]
  const reading = span(inventory.isStale ? 'reading…  ' : '', 'faint')
  const status = hasStatusLine(model.size) ? [] : [...shortStatus(model), span(' ')]
  const [worded, signed] = [stateCounts(model, true), stateCounts(model, false)]
  // Not with the short status, which uses the same signs for other things.
  const ways = [
    [reading, ...status, ...worded],
    status.length > 0 ? [reading, ...status] : [reading, ...signed],
    status,
  ]
  const fitting = ways.find((right) => lineWidth(left) + lineWidth(right) < columns)
  return spread(left, fitting ?? clipLine(status, columns - lineWidth(left) - 1), columns)
}

const LIFE = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇']

/** Running work, or the last notice, or the keys of this place. */
function footer(model: Model, columns: number): Line[] {
  const { work, notice } = model
  if (work !== undefined) {
    const far = work.total > 0 ? `  ${work.done} of ${work.total}` : ''
    const stop = styled('  esc stops ', 'faint')
    const doing = styled(` ${LIFE[work.ticks % LIFE.length]} ${work.label}${far}  ${work.what}`, 'accent')
    // How to stop it stays readable, however long the label is.
    return [spread(clipLine(doing, columns - lineWidth(stop) - 1), stop, columns)]
  }
  return notice === undefined ? [keyLine(model, columns)] : noticeLines(model, notice)
}

/** A long message takes several lines, with its hint, if the screen has room. */
function noticeLines(model: Model, notice: Notice): Line[] {
  const { size } = model
  const { tone } = notice
  const [text, hint] = [shortPath(model, notice.text), shortPath(model, notice.hint ?? '')]
  const columns = size.columns - 2
  const style = tone === 'plain' ? undefined : tone
  const line = [span(` ${text}`, style), span(hint === '' ? '' : `  ${hint}`, 'faint')]
  if (!hasStatusLine(size) || lineWidth(line) <= columns) return [fitLine(line, size.columns)]
  const lines = [...wrapped(text, columns, style), ...wrapped(hint, columns, 'faint')]
  // A longer message would take the room of the screen that it is about.
  return lines.slice(0, 3).map((each) => [span(' '), ...each])
}

function keyLine(model: Model, columns: number): Line {
  const shown = bindingsOf(keyPlace(model)).flatMap(({ keys, label, action }): Line[] => {
    if (label === undefined || (action === 'undo' && model.undo.length === 0)) return []
    return [[span(keyName(keys[0] ?? ''), 'accent'), span(` ${label}  `)]]
  })
  // Help and back stay, however narrow the terminal is.
  const last = shown.slice(-2).flat()
  const marked = model.screen === 'inventory' && model.overlay === undefined ? model.inventory.marked.length : 0
  const line = [span(isTyping(model) ? ' type  ' : marked > 0 ? ` ${marked} marked: ` : ' ')]
  for (const each of shown.slice(0, -2)) {
    if (lineWidth(line) + lineWidth(each) + lineWidth(last) > columns) break
    line.push(...each)
  }
  return [...line, ...last]
}

/** One part of the status line, in words and in signs. */
interface StatusPart {
  words: string
  signs: string
  style?: Style
  /** The order of problems to show in words, if not all fit. */
  rank?: number
}

/** Branch, remote and working tree of the library; merges and copies that need a decision; the agents' lists. */
function statusLine(model: Model, columns: number): Line {
  const parts = [...libraryParts(model), ...waitingParts(model), ...listParts(model)]
  const shown = parts.map(({ signs, style }): Line => [span(signs, style)])
  // As many in words as fit, the most important problem first.
  const order = [...parts.keys()].sort((a, b) => (parts[a]?.rank ?? 9) - (parts[b]?.rank ?? 9))
  for (const at of order) {
    const { words, style } = parts[at] ?? { words: '' }
    const longer = shown.with(at, [span(words, style)])
    if (lineWidth(join(longer)) < columns) shown[at] = longer[at] ?? []
  }
  return clipLine(join(shown), columns)
}

/** The part of the status that fits beside the scope. */
function shortStatus(model: Model): Line {
  const parts = [...libraryParts(model), ...waitingParts(model)].filter(({ style }) => style === 'alert')
  return parts.flatMap(({ signs, style }) => [span(' '), span(signs, style)])
}

function join(parts: readonly Line[]): Line {
  return parts.flatMap((part, at) => (at === 0 ? [span(' '), ...part] : [span('  '), ...part]))
}

function libraryParts({ attention }: Model): StatusPart[] {
  const library = attention?.library
  if (library === undefined) return []
  const { branch = 'no branch', remote, ahead, behind, dirty, merges } = library
  const name = remote === undefined ? `${branch}, no remote` : branch
  return [
    { words: name, signs: branch, style: 'faint' },
    ...some(ahead, `↑${ahead} to push`, `↑${ahead}`, 5),
    ...some(behind, `↓${behind} to pull (s)`, `↓${behind}`, 3),
    ...some(dirty, `±${dirty} uncommitted`, `±${dirty}`, 6),
    ...some(merges.length, `⚑${merges.length} to decide (m)`, `⚑${merges.length}`, 1),
  ]
}

/** Installed copies that differ from the library, and skills that are not in it. */
function waitingParts({ inventory, scope }: Model): StatusPart[] {
  const { value } = inventory
  if (value === undefined) return []
  const placements = value.skills.flatMap((skill) => skill.placements)
  const drift = placements.filter(({ state }) => state !== 'current' && state !== 'unmanaged').length
  const loose = scope === 'project' ? (value.unmanagedInProject ?? 0) : value.unmanaged
  const where = scope === 'project' ? ' in this project' : ''
  return [
    ...some(loose, `+${loose} to import${where} (i)`, `+${loose}`, 4),
    ...some(drift, drift === 1 ? '≠1 copy differs' : `≠${drift} copies differ`, `≠${drift}`, 7),
  ]
}

function some(number: number, words: string, signs: string, rank: number): StatusPart[] {
  return number === 0 ? [] : [{ words, signs, style: 'alert', rank }]
}

/** How full the list of each agent is, or how many skills it drops. */
function listParts({ attention }: Model): StatusPart[] {
  return (attention?.rooms ?? []).map(({ agent, skills, cut, dropped, used, room }): StatusPart => {
    const lost = dropped > 0 ? `drops ${grouped(dropped)}` : `cuts ${grouped(cut)}`
    if (dropped + cut > 0) {
      return { words: `${agent} ${lost} of ${grouped(skills)} (b)`, signs: `${agent} ${lost}`, style: 'alert', rank: 2 }
    }
    const full = `${agent} ${room === 0 ? 0 : Math.round((100 * used) / room)}%`
    return { words: `${full} full`, signs: full, style: 'faint' }
  })
}

/** How many skills are in each state that needs attention. */
function stateCounts({ inventory }: Model, isWorded: boolean): Line {
  const counts = new Map<string, number>()
  for (const { state } of inventory.value?.skills ?? []) {
    if (!needsAttention(state)) continue
    const { sign, word } = SIGNS[state]
    const key = isWorded ? `${sign} ${word}` : sign
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const texts = [...counts].map(([key, number]) => key.replace(/^(\S)/, `$1${number}`))
  return [span(`${texts.join('  ')} `, 'alert')]
}
