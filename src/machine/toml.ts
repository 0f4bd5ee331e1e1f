import { parse } from 'smol-toml'

/** What a text in TOML says. Nothing when it is none: the agent whose file it is cannot read it either. */
export function readToml(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch {
    return {}
  }
}
