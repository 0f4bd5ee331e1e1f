import { importedDocument } from '../machine/skill-document.ts'
import type { RankDocument } from '../search/document.ts'
import { cut } from '../text/cut.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'

/** What the ranker reads of a skill: its metadata, and its SKILL.md. */
export function rankedSkill(
  { name, description, tags = [] }: { name: string; description?: string; tags?: readonly string[] },
  markdown: string,
): RankDocument {
  const document = importedDocument(markdown)
  const headings = cut(DOCUMENT_FILE, document.body).map(({ title }) => title)
  const said = description ?? document.description ?? ''
  return { id: name, name, description: said, keywords: tags, headings, body: document.body }
}
