import type { Finding } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import type { Skill } from './skill.ts'

const LONGEST_DESCRIPTION = 1_024
const LONGEST_COMPATIBILITY = 500
const MOST_LINES = 500

/** Where a skill exceeds the public Agent Skills format. Many published skills do, so this is only a warning. */
export function formatWarnings(skill: Skill, document: string): Finding[] {
  const { name, description, metadata } = skill
  const problems: string[] = []
  if (name.includes('--')) problems.push('its name has two hyphens in a row, which the format does not allow')
  if (description.length > LONGEST_DESCRIPTION) {
    problems.push(`its description has ${description.length} characters; the format allows ${LONGEST_DESCRIPTION}`)
  }
  for (const [agent, own] of Object.entries(metadata)) problems.push(...metadataProblems(agent, own))
  const lines = document.split('\n').length
  if (lines > MOST_LINES)
    problems.push(`its text has ${lines} lines; beyond ${MOST_LINES} they belong in files beside it`)
  return problems.map((problem) => ({
    severity: 'warning',
    code: 'FORMAT_LIMIT',
    message: `${name}: ${problem}`,
    subject: name,
    hint: 'it is installed nevertheless; some agents cut or skip it',
  }))
}

function metadataProblems(agent: string, { compatibility, metadata }: Record<string, unknown>): string[] {
  const problems: string[] = []
  if (typeof compatibility === 'string' && compatibility.length > LONGEST_COMPATIBILITY) {
    problems.push(
      `"compatibility" for ${agent} has ${compatibility.length} characters; the format allows ${LONGEST_COMPATIBILITY}`,
    )
  }
  const isPlain = isRecord(metadata) && Object.values(metadata).every((value) => typeof value === 'string')
  if (metadata !== undefined && !isPlain) problems.push(`"metadata" for ${agent} should map texts to texts`)
  return problems
}
