import { importedDocument } from '../machine/skill-document.ts'
import type { RankDocument } from '../search/document.ts'
import { findHeadings } from '../text/sections.ts'

/** What the ranker reads of a skill: its metadata, and its SKILL.md. */
export function rankedSkill(
  { name, description, tags = [] }: { name: string; description?: string; tags?: readonly string[] },
  markdown: string,
): RankDocument {
  const document = importedDocument(markdown)
  const headings = findHeadings(document.body.split('\n')).map(({ title }) => title)
  const said = description ?? document.description ?? ''
  return { id: name, name, description: said, keywords: tags, headings, body: document.body }
}
