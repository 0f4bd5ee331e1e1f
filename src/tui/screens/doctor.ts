import type { Check } from '../../loadout.ts'
import { insideOf, type Line, pane, type Size, type Style, span, styled, wrapped } from '../frame/line.ts'
import { listLines, problemLines } from '../frame/rows.ts'
import { type Model, shortPath } from '../model.ts'
import { withPaneBelow } from './regions.ts'

const CHECK_SIGNS: Record<Check['state'], { sign: string; style: Style }> = {
  fine: { sign: '●', style: 'good' },
  note: { sign: 'i', style: 'faint' },
  problem: { sign: '!', style: 'alert' },
}

export function viewDoctor(model: Model, size: Size): Line[] {
  const { doctor, problems } = model
  const { health, at } = doctor
  const current = health?.checks[at]
  const { list, below } = current === undefined ? { list: size } : withPaneBelow(size, 6)
  const inside = insideOf(list)
  const lines = listLines(health?.checks ?? [], at, inside, (check) => row(model, check))
  const shown = lines.length > 0 ? lines : problemLines(problems.doctor, 'looking…', inside.columns)
  const upper = pane(styled(doctorTitle(health?.checks), 'strong'), shown, list, true)
  return current === undefined || below === undefined ? upper : [...upper, ...viewCheck(model, current, below)]
}

function doctorTitle(checks: readonly Check[] | undefined): string {
  if (checks === undefined) return 'Doctor'
  const problems = checks.filter(({ state }) => state === 'problem').length
  return problems === 0 ? 'Doctor: nothing needs action' : `Doctor: ${problems} to do`
}

function row(model: Model, { name, state, message }: Check): Line {
  const { sign, style } = CHECK_SIGNS[state]
  return [span(`${sign} `, style), span(`${name.padEnd(16)} `), span(shortPath(model, message), 'faint')]
}

function viewCheck(model: Model, { name, message, fix }: Check, size: Size): Line[] {
  const { columns } = insideOf(size)
  const help = fix === undefined ? [] : wrapped(`to do: ${shortPath(model, fix)}`, columns, 'accent')
  return pane(styled(name, 'strong'), [...wrapped(shortPath(model, message), columns), ...help], size, false)
}
