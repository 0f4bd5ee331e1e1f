import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Content } from '../cli/run.ts'

/** Words that occur in exactly one place of a pack. */
export const canary = (place: string) => `zqcanary${place}`

/** The places whose words occur in a text. */
export function canariesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/zqcanary([a-z]+)/gi), ([, place = '']) => place.toLowerCase()))].sort()
}

/** A task that fits the packs without using words of their texts. */
export const TASK = 'which quails live in the meadow'

const METADATA = [
  'description: Facts about quails of the meadow. Use for questions about which quails live in the meadow.',
  'type: domain-reference',
  'status: ready',
  'trust: user-confirmed',
]

function guide(name: string, fields: readonly string[], body: readonly string[]): string {
  return ['---', `name: ${name}`, ...METADATA, ...fields, '---', '', ...body, ''].join('\n')
}

const GUIDE_BODY = [
  `# Quails ${canary('heading')}`,
  '',
  `Quails live in the meadow. ${canary('body')}`,
  '',
  '---',
  `name: ${canary('secondname')}`,
  `status: [${canary('secondyaml')}`,
  '---',
  '',
  '## Context map',
  '',
  `- Quails of the meadow ${canary('hint')}: \`compiled/facts.md\``,
  `- Which quails live: \`wiki/concepts/${canary('mappath')}.md\``,
  `- \`../${canary('mapescape')}.md\`, \`/${canary('mapabsolute')}.md\`, \`sources/a.md\``,
]

const claim = (id: string, status: string) => ({
  claim_id: canary(id),
  text: `Quails of the meadow ${canary(`${id}text`)}`,
  status,
  source: { path: 'sources/a.md', anchor: canary('anchor') },
  compiled_into: ['compiled/facts.md'],
})

/** A valid pack with one such word in every place; `sources` also in the names of its sources. */
export const FULL_PACK: Record<string, Content> = {
  'KNOWLEDGE.md': guide(
    'quails',
    [
      'profile: hybrid',
      'grounding: required',
      'metadata:',
      '  primaryDocument: documents/main.md',
      '  primaryOntology: ontology/ontology.json',
      '  primaryAnswers: answers/answers.json',
    ],
    GUIDE_BODY,
  ),
  'compiled/facts.md': `# Quails ${canary('factsheading')}\n\n- Quails live in the meadow. ${canary('facts')} [source: sources/a.md#L3]\n- Quails without a source ${canary('uncited')}\n`,
  'compiled/briefing.md': `# Quails\n\nThe meadow: ${canary('briefing')}\n`,
  'compiled/zqname-view.md': `# Meadow quails\n\n${canary('view')}\n`,
  'compiled/splits/main/001_quails.md': `# Quails of the meadow\n\n${canary('split')}\n`,
  'wiki/index.md': `# Pages\n\n- [Quails ${canary('wikilink')}](concepts/quails.md)\n`,
  'wiki/concepts/quails.md': `# Quails of the meadow\n\n${canary('wiki')}\n`,
  'wiki/open-questions/quails.md': `# Which quails live ${canary('question')}\n\n${canary('openquestion')}\n`,
  'wiki/contradictions/quails.md': `# Quails in the meadow\n\n${canary('contradiction')}\n`,
  'documents/main.md': `# Quails of the meadow\n\n${canary('document')}\n`,
  'sources/a.md': `# Source ${canary('sourceheading')}\n\nQuails live in the meadow. ${canary('source')}\n`,
  'sources/bird.json': `{ "quails": ${canary('sourcejson')} }\n`,
  'indexes/source-map.json': JSON.stringify({
    claims: [claim('claima', 'confirmed'), claim('claimb', 'disputed'), claim('claimc', 'missing')],
    document_sections: [
      { document: 'documents/main.md', section_id: canary('sectionid'), title: canary('sectiontitle') },
    ],
  }),
  'indexes/fulltext.json': JSON.stringify({ entries: [{ path: 'wiki/concepts/quails.md', text: canary('index') }] }),
  'runs/compile-2024-01-01T00-00-00Z.json': JSON.stringify({
    run_id: `compile-${canary('runid')}`,
    trigger: 'manual',
    status: 'needs-review',
    inputs: [{ path: 'sources/a.md', sha256: 'f'.repeat(64) }],
    outputs: [{ path: 'compiled/facts.md', operation: 'updated' }],
    diagnostics: [{ severity: 'warning', path: 'compiled/facts.md', message: canary('diagnostic') }],
    review: { required: true, reason: canary('reviewreason') },
    chapters: [{ id: canary('chapterid'), title: canary('chapter'), coverage: 'missing' }],
    quality_issues: [canary('quality')],
    interview_questions: [canary('interview')],
  }),
  'evals/discovery.train.json': JSON.stringify({
    pack_name: 'quails',
    cases: [
      {
        id: canary('evalid'),
        prompt: `quails of the meadow ${canary('evalprompt')}`,
        expected: 'reject',
        reason: canary('evalreason'),
      },
      {
        id: canary('evalwarn'),
        prompt: 'quails of the meadow',
        expected: 'warn',
        expected_warnings: [canary('evalwarning')],
      },
    ],
  }),
  'evals/discovery.json': JSON.stringify({ queries: [{ id: canary('queryid'), query: 'bread', should_select: true }] }),
  'ontology/ontology.json': JSON.stringify({ id: canary('ontology'), files: ['concepts.json', 'claims.json'] }),
  'ontology/concepts.json': JSON.stringify([
    { id: 'quail', label: `quails ${canary('concept')}`, aliases: ['quails'] },
  ]),
  'ontology/claims.json': JSON.stringify([
    { id: canary('ontologyclaim'), conceptId: 'quail', text: canary('ontologytext') },
  ]),
  'answers/answers.json': JSON.stringify({
    questions: [
      { id: 'q', question: `Which quails live in the meadow ${canary('answerquestion')}`, answerBlockIds: ['b'] },
    ],
    answerBlocks: [{ id: 'b', answer: canary('answer'), reviewStatus: 'approved' }],
  }),
  'assets/note.md': canary('asset'),
  'scripts/run.sh': `#!/bin/sh\ntouch "$(dirname "$0")/was-run"\necho ${canary('script')}\n`,
  LICENSE: canary('license'),
}

/** A pack with broken files that an error message might quote. */
export const BROKEN_PACK: Record<string, Content> = {
  'KNOWLEDGE.md': guide('wrecked', ['profile: wiki-first'], [canary('wreckedbody')]),
  'compiled/facts.md': Buffer.from(`# Quails\n\n\xff\xfe ${canary('wreckedfacts')}\n`, 'latin1'),
  'compiled/brief.md': `---\ntopic: [${canary('wreckedyaml')}\n  - "${canary('wreckedquote')}\n---\n`,
  'indexes/source-map.json': `{"claims": ${canary('wreckedmap')}}`,
  'runs/compile-1.json': `{"run_id": "a", "${canary('wreckedkey')}": ${canary('wreckedrun')}`,
  'runs/compile-2.json': JSON.stringify({
    run_id: 1,
    [canary('strangekey')]: canary('strangevalue'),
    status: canary('badstatus'),
  }),
  'evals/discovery.train.json': `[${canary('wreckedeval')}]`,
  'evals/discovery.validation.json': JSON.stringify({
    pack_name: canary('otherpack'),
    cases: [{ id: canary('otherid'), prompt: 'x', expected: 'select' }],
  }),
  'ontology/ontology.json': `{"id": "o", "files": ["../${canary('ontologyescape')}.json", "${canary('ontologyabsent')}.json"]}`,
  'answers/answers.json': `${canary('wreckedanswers')}`,
  'wiki/index.md': `[a](../../${canary('linkescape')}.md) [source: ../${canary('anchorescape')}.md#L1]`,
  'sources/secret.md': (path) => symlinkSync(join('..', '..', `${canary('linktarget')}.md`), path),
}

/** A pack whose frontmatter never ends: the rest is text, not metadata. */
export const ENDLESS_PACK: Record<string, Content> = {
  'KNOWLEDGE.md': `---\nname: endless\n${METADATA.join('\n')}\n\n# Quails\n\n${canary('endless')}: [${canary('endlessyaml')}\n`,
}

export function placed(name: string, files: Record<string, Content>): Record<string, Content> {
  return Object.fromEntries(Object.entries(files).map(([path, each]) => [`.agents/knowledge/${name}/${path}`, each]))
}
