import type { Profile, RuntimeMode } from '../pack.ts'

export interface PackPlan {
  name: string
  description: string
  profile: Profile
  mode: RuntimeMode
}

const FACT = 'The first fact of this pack stands here until its author writes a true one.'
const USE = 'Say here which questions this pack answers, and which it leaves to others.'
const LIMIT = '# Boundaries\n\n- Say that a fact is unknown when no page of this pack holds it.\n'

/** Whether a text still has a placeholder. */
export function isPlaceholder(text: string): boolean {
  return text.includes(FACT) || text.includes(USE)
}

/** Whether a text is still as in a new pack, also without a placeholder. */
export function isTemplate(text: string): boolean {
  return isPlaceholder(text) || text === LIMIT
}

const SOURCE = 'sources/notes.md'
const SOURCE_LINE = 3

/** The files of a small, complete and valid pack, for its author to fill in. */
export function packTemplate(plan: PackPlan): Map<string, string> {
  const hasWiki = plan.profile !== 'document-first'
  const hasDocument = plan.profile !== 'wiki-first'
  return new Map([
    ['KNOWLEDGE.md', guide(plan, hasWiki, hasDocument)],
    ...(hasWiki ? wikiFiles(plan) : []),
    ...(hasDocument ? documentFiles(plan) : []),
    ['compiled/boundaries.md', LIMIT],
    [SOURCE, `# Notes\n\n${FACT}\n`],
    ['indexes/source-map.json', sourceMap(plan, hasWiki, hasDocument)],
    ['evals/discovery.train.json', suite(plan, 'train')],
    ['evals/discovery.validation.json', suite(plan, 'validation')],
  ])
}

function titleOf({ name }: PackPlan): string {
  return name.replace(/-+/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
}

function documentPath({ name }: PackPlan): string {
  return `documents/${name}.md`
}

function splitPath({ name }: PackPlan): string {
  return `compiled/splits/${name}/010_overview.md`
}

function guide(plan: PackPlan, hasWiki: boolean, hasDocument: boolean): string {
  const { name, description, profile, mode } = plan
  const fields = [
    `name: ${name}`,
    // JSON strings are valid YAML.
    `description: ${JSON.stringify(description)}`,
    `type: ${mode === 'persona' ? 'brand-persona' : 'domain-reference'}`,
    `profile: ${profile}`,
    'status: draft',
    'version: 0.1.0',
    'trust: unreviewed',
    'grounding: recommended',
    'runtime:',
    `  mode: ${mode}`,
    ...(hasDocument ? ['metadata:', `  primaryDocument: ${documentPath(plan)}`] : []),
  ]
  const map = [
    ...(hasWiki ? ['- Ordinary questions: `compiled/briefing.md`', '- Single facts: `compiled/facts.md`'] : []),
    ...(hasDocument ? [`- The overview: \`${splitPath(plan)}\``] : []),
    '- Before any promise: `compiled/boundaries.md`',
    ...(hasDocument ? [`- The whole text: \`${documentPath(plan)}\``] : []),
    ...(hasWiki ? ['- All pages, for questions that go deeper: `wiki/index.md`'] : []),
    '- To cite or to verify: `sources/`',
  ]
  return `---\n${fields.join('\n')}\n---\n\n# ${titleOf(plan)}\n\n## When to use\n\n${USE}\n\n## Context map\n\n${map.join('\n')}\n`
}

function wikiFiles(plan: PackPlan): [string, string][] {
  const title = titleOf(plan)
  const mark = `[source: ${SOURCE}#L${SOURCE_LINE}]`
  return [
    ['wiki/index.md', `# Pages\n\n- [Overview](concepts/overview.md) - where to begin\n`],
    ['wiki/concepts/overview.md', `# Overview of ${title}\n\n${FACT} ${mark}\n`],
    ['compiled/briefing.md', `# Briefing\n\n${title} in a few sentences. ${FACT} ${mark}\n`],
    ['compiled/facts.md', `# Facts\n\n- ${FACT} ${mark}\n`],
  ]
}

function documentFiles(plan: PackPlan): [string, string][] {
  const mark = `[source: ${SOURCE}#L${SOURCE_LINE}]`
  return [
    [documentPath(plan), `# ${titleOf(plan)}\n\n## Overview\n\n${FACT} ${mark}\n`],
    [splitPath(plan), `# Overview\n\n${FACT} ${mark}\n`],
  ]
}

function sourceMap(plan: PackPlan, hasWiki: boolean, hasDocument: boolean): string {
  const claim = {
    claim_id: 'first-fact',
    text: FACT,
    status: 'confirmed',
    source: { path: SOURCE, anchor: `L${SOURCE_LINE}` },
    compiled_into: [
      ...(hasWiki ? ['wiki/concepts/overview.md', 'compiled/briefing.md', 'compiled/facts.md'] : []),
      ...(hasDocument ? [splitPath(plan)] : []),
    ],
    ...(hasDocument ? { document: documentPath(plan), section_id: 'overview' } : {}),
  }
  const section = {
    document: documentPath(plan),
    section_id: 'overview',
    title: 'Overview',
    source_anchors: [`${SOURCE}#L${SOURCE_LINE}`],
    compiled_into: [splitPath(plan)],
  }
  return json({ claims: [claim], ...(hasDocument ? { document_sections: [section] } : {}) })
}

function suite(plan: PackPlan, kind: 'train' | 'validation'): string {
  const subject = titleOf(plan).toLowerCase()
  const [select, reject] =
    kind === 'train'
      ? [`What do we know about ${subject}?`, 'Bake a loaf of rye bread.']
      : [`Give me an overview of ${subject}.`, 'Which wine goes with mushrooms?']
  return json({
    pack_name: plan.name,
    cases: [
      { id: 'its-subject', prompt: select, expected: 'select' },
      { id: 'something-else', prompt: reject, expected: 'reject' },
    ],
  })
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
