import {
  block,
  clipLine,
  fitLine,
  type Line,
  lineWidth,
  overlay,
  type Size,
  span,
  spread,
  styled,
} from './frame/line.ts'
import { bindingsOf, isTyping, placeOf } from './keys.ts'
import type { Model, ScreenId } from './model.ts'
import { viewDiff } from './screens/diff-view.ts'
import { viewDoctor } from './screens/doctor-view.ts'
import { keyName, viewHelp } from './screens/help-view.ts'
import { viewImport } from './screens/import-view.ts'
import { viewInventory } from './screens/inventory-view.ts'
import { viewOverlay } from './screens/overlay-view.ts'
import { viewProfiles } from './screens/profiles-view.ts'
import { middleOf } from './screens/regions.ts'
import { viewSettings } from './screens/settings-view.ts'
import { viewSetup } from './screens/setup-view.ts'
import { viewSync } from './screens/sync-view.ts'
import { needsAttention, SIGNS } from './signs.ts'

const VIEWS: Record<ScreenId, (model: Model, size: Size) => Line[]> = {
  inventory: viewInventory,
  import: viewImport,
  sync: viewSync,
  doctor: viewDoctor,
  profiles: viewProfiles,
  settings: viewSettings,
  diff: viewDiff,
  setup: viewSetup,
  help: viewHelp,
}

/** The whole screen: exactly as many lines as the terminal has, each exactly as wide. */
export function view(model: Model): Line[] {
  const { columns, rows } = model.size
  const middle = VIEWS[model.screen](model, middleOf(model.size))
  const screen =
    rows > 2 ? [header(model, columns), ...middle, footer(model, columns)] : [...middle, footer(model, columns)]
  const box = viewOverlay(model)
  const sized = block(screen, model.size)
  return box === undefined ? sized : block(overlay(sized, box, model.size), model.size)
}

function header(model: Model, columns: number): Line {
  const { inventory, project } = model
  const scope = model.scope === 'project' ? `project ${project?.split('/').at(-1) ?? ''}` : 'user scope'
  const counts = new Map<string, number>()
  for (const { state } of inventory.value?.skills ?? []) {
    if (needsAttention(state)) counts.set(SIGNS[state].sign, (counts.get(SIGNS[state].sign) ?? 0) + 1)
  }
  const marks = [...counts].map(([sign, count]) => `${sign}${count}`).join('  ')
  const right = [span(inventory.isStale ? 'reading…  ' : '', 'faint'), span(`${marks} `, 'alert')]
  return spread([span(' Loadout', 'strong'), span(`  ${scope}`)], right, columns)
}

const LIFE = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇']

/** What is under way, else what has happened, else what the keys do here. */
function footer(model: Model, columns: number): Line {
  const { work, notice } = model
  if (work !== undefined) {
    const far = work.total > 0 ? `  ${work.done} of ${work.total}` : ''
    const stop = styled('  esc stops ', 'faint')
    const doing = styled(` ${LIFE[work.ticks % LIFE.length]} ${work.label}${far}  ${work.what}`, 'accent')
    // How to stop it stays readable, however long the name of what is worked on.
    return spread(clipLine(doing, columns - lineWidth(stop) - 1), stop, columns)
  }
  if (notice !== undefined) {
    const { text, hint, tone } = notice
    return fitLine(
      [span(` ${text}`, tone === 'plain' ? undefined : tone), span(hint === undefined ? '' : `  ${hint}`, 'faint')],
      columns,
    )
  }
  return keyLine(model, columns)
}

function keyLine(model: Model, columns: number): Line {
  const shown = bindingsOf(placeOf(model)).flatMap(({ keys, label, action }): Line[] => {
    if (label === undefined || (action === 'undo' && model.undo.length === 0)) return []
    return [[span(keyName(keys[0] ?? ''), 'accent'), span(` ${label}  `)]]
  })
  // The way out and the help stay, however narrow it is.
  const last = shown.slice(-2).flat()
  const line = [span(isTyping(model) ? ' type  ' : ' ')]
  for (const each of shown.slice(0, -2)) {
    if (lineWidth(line) + lineWidth(each) + lineWidth(last) > columns) break
    line.push(...each)
  }
  return [...line, ...last]
}
