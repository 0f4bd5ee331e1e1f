import { parse, stringify } from 'smol-toml'
import { attempt } from '../text/values.ts'

/** The parsed TOML of a text. Empty when it is invalid: the agent cannot read the file either. */
export function readToml(text: string): Record<string, unknown> {
  return attempt(() => parse(text), {})
}

export function isToml(text: string): boolean {
  return attempt(() => {
    parse(text)
    return true
  }, false)
}

export function writeToml(values: Readonly<Record<string, unknown>>): string {
  return stringify(values)
}
