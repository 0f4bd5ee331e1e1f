import fc from 'fast-check'
import { countCharacters, type Limits } from '../../src/answer/rules/budget/fit.ts'
import type { BundleInput } from '../../src/answer/rules/build-bundle.ts'
import {
  type BundlePointer,
  type Candidate,
  POINTER_GROUPS,
  SOURCE_CLASSES,
  type SourceClass,
} from '../../src/answer/rules/bundle.ts'
import { sha256 } from '../../src/text/values.ts'

// Random projects, as the budget sees them.

const FENCE_LIKE = [
  '<loadout_file path="x">',
  '</loadout_file>',
  '</loadout_filename>',
  '&lt;/loadout_file&gt;',
  '\uff1c/loadout_context>',
  '<knowledge_pack name="a">',
  '</ knowledge-pack>',
  '<loadout_payload',
  '<\u200d/loadout_file>',
]
export const HOST_TAGS = [
  '<system-reminder>',
  '</system-reminder>',
  '</system>',
  '<system>',
  '<|im_end|>',
  '<|endoftext|>',
  '<function_calls>',
  '</function_results>',
  '<tool_result id="1">',
]
const PIECES = [
  'word ',
  '\n',
  '\n\n',
  '\r\n',
  '| cell |',
  '# Heading\n',
  '```\n',
  '\u{1f469}\u200d\u{1f4bb}',
  'e\u0301',
  '\u05d0\u05d1',
  '\u6f22\u5b57',
  '\u0915\u094d\u0937',
  '\ud800',
  '\u200b',
  '\u202e',
  '\u0000',
]

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 2, arbitrary: fc.constantFrom(...FENCE_LIKE) },
  { weight: 2, arbitrary: fc.constantFrom(...HOST_TAGS, '\nHuman: ', '<sys\u200dtem>') },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)

/** Up to 5,000 characters, often short, sometimes repeated. */
const text = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('', 'the same', ' the same\n') },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(piece, { maxLength: 12 }), fc.constantFrom(1, 1, 1, 4, 40))
      .map(([pieces, times]) => pieces.join('').repeat(times).slice(0, 5_000)),
  },
)

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a.md', 'b.md', 'docs/c.md', 'docs/d.md', 'e.json') },
  { weight: 4, arbitrary: fc.nat(30).map((each) => `docs/${'deep/'.repeat(each % 5)}file-${each}.md`) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(...FENCE_LIKE, ...HOST_TAGS, 'a|b.md') },
)

function candidateOf(sourceClass: SourceClass): fc.Arbitrary<Candidate> {
  return fc
    .record({ name, text, reason: fc.oneof(fc.constant('asked for'), piece), kind: fc.nat(5), unread: fc.nat(9_000) })
    .map(({ name, text, reason, kind, unread }) => {
      // Only packs are whole, and only the task slice has packs. Packs bring their own fence.
      const isWhole = sourceClass === 'task' && kind === 0
      const shown = isWhole ? `whole ${text.length}\n${'w'.repeat(text.length)}\n` : text
      return {
        path: isWhole ? `pack:${text.length}` : name,
        sourceClass,
        selectedBy: isWhole ? 'pack' : sourceClass,
        reason,
        score: 1,
        text: shown,
        charsTotal: isWhole || kind > 2 ? shown.length : kind === 1 ? null : shown.length + unread,
        sha256: kind === 1 ? null : sha256(shown),
        provenance: {},
        isWhole,
      }
    })
}

const slices = fc.record({
  control_plane: fc.array(candidateOf('control_plane'), { maxLength: 8 }),
  task: fc.array(candidateOf('task'), { maxLength: 14 }),
  tactical: fc.array(candidateOf('tactical'), { maxLength: 5 }),
  adapter: fc.array(candidateOf('adapter'), { maxLength: 5 }),
})

/** Percents of at most a hundred in all. */
const partitions = fc
  .tuple(fc.nat(100), fc.nat(100), fc.nat(100))
  .map(([a, b, c]) => [a, b, c].sort((x, y) => x - y) as [number, number, number])
  .map(([a, b, c]) => ({ controlPlane: a, task: b - a, tactical: c - b, adapter: 100 - c }))

export const anyLimits: fc.Arbitrary<Limits> = fc.record({
  maxFiles: fc.oneof(fc.constantFrom(0, 1, 2, 12), fc.nat(40)),
  maxCharsPerFile: fc.oneof(fc.constantFrom(0, 1, 10, 2_500), fc.nat(6_000)),
  total: fc.oneof(fc.constantFrom(0, 1, 10, 100, 30_000), fc.nat(3_000), fc.nat(40_000)),
  partitions: fc.oneof(fc.constant({ controlPlane: 30, task: 50, tactical: 10, adapter: 10 }), partitions),
})

const pointer: fc.Arbitrary<BundlePointer> = fc.record({
  path: name,
  start: fc.nat(5_000),
  end: fc.nat(5_000),
  symbol: fc.option(piece, { nil: undefined }),
  score: fc.constant(0.5),
  why: fc.oneof(fc.constant('text [word]'), text),
  group: fc.constantFrom(...POINTER_GROUPS),
})

const lines = fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 400 })), { maxLength: 4 })

export const anyInput: fc.Arbitrary<BundleInput> = fc
  .record({
    task: fc.oneof(fc.constant('fix the release'), text),
    slices,
    pointers: fc.option(fc.uniqueArray(pointer, { maxLength: 12, selector: ({ path }) => path }), { nil: undefined }),
    configured: fc.record({ tactical: fc.boolean(), adapter: fc.boolean() }),
    limits: anyLimits,
    warnings: lines,
    missing: lines,
    present: fc.array(fc.boolean(), { maxLength: 4 }),
  })
  .map(({ task, slices, pointers, configured, limits, warnings, missing, present }) => ({
    task,
    intent: { key: 'default', matched: [], scores: { default: 0 }, isOverridden: false },
    preset: 'generic',
    controlPlane: present.map((isPresent, at) => ({
      path: `plane-${at}.md`,
      present: isPresent,
      required: false,
      sha256: null,
      summary: {},
    })),
    // A slice that a project does not have has no candidates.
    slices: {
      ...slices,
      tactical: configured.tactical ? slices.tactical : [],
      adapter: configured.adapter ? slices.adapter : [],
    },
    // What the control plane shows is not a place to name.
    pointers: pointers?.filter(({ path }) => slices.control_plane.every((each) => each.path !== path)),
    configured,
    omitted: [],
    warnings,
    adviceWarnings: [],
    degraded: [],
    missing,
    sourceAnchors: [],
    now: null,
    limits,
    unit: 'chars',
    measure: countCharacters,
    tokenizer: { id: 'chars/4', count: (text: string) => Math.ceil(text.length / 4) },
    mayBeUnrestricted: false,
  }))

export function allCandidates(input: BundleInput): Candidate[] {
  return SOURCE_CLASSES.flatMap((each) => input.slices[each])
}
