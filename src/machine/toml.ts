import { parse, stringify } from 'smol-toml'

/** The parsed TOML of a text. Empty when it is invalid: the agent cannot read the file either. */
export function readToml(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch {
    return {}
  }
}

export function isToml(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

export function writeToml(values: Readonly<Record<string, unknown>>): string {
  return stringify(values)
}
