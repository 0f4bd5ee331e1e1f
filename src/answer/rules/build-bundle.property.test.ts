import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allCandidates, anyInput, anyLimits, HOST_TAGS } from '../../../test/context/bundle-input.ts'
import { DEFAULT_PARTITIONS } from '../../machine/rules/settings-shape.ts'
import { readReservedTags } from '../../packs/rules/reserved-tags.fixture.ts'
import { type BundleInput, buildBundle } from './build-bundle.ts'
import {
  type BundleFile,
  type ContextBundle,
  canonicalJson,
  SOURCE_CLASSES,
  type SourceClass,
  withDigest,
} from './bundle.ts'
import { candidateOf } from './candidate.fixture.ts'
import { RENDERINGS, renderBundle } from './render.ts'

// LOADOUT_RUNS=2000 tries more inputs.
const runs = Number(process.env.LOADOUT_RUNS ?? 60)
const RUNS = { numRuns: runs }
const FEW = { numRuns: Math.ceil(runs / 10) }

function build(input: BundleInput) {
  const { bundle, marks } = buildBundle(input)
  const renderings = RENDERINGS.map((each) => (bundle.estimate.chars === 0 ? '' : renderBundle(bundle, each, marks)))
  return { bundle, marks, renderings }
}

const withTotal = (input: BundleInput, total: number): BundleInput => ({ ...input, limits: { ...input.limits, total } })
const ofClass = ({ files }: ContextBundle, each: SourceClass) => files.filter((file) => file.source_class === each)
const placesBesides = (input: BundleInput) => {
  const candidates = new Set(allCandidates(input).map(({ path }) => path))
  return (input.pointers ?? []).filter(({ path }) => !candidates.has(path))
}
const unranked = (files: readonly BundleFile[]) => files.map(({ rank, ...file }) => file)
const charsPerToken = (text: string) => Math.ceil(text.length / 4)

describe('limits', () => {
  it('no rendering, no file and no number of files is over its limit', () => {
    fc.assert(fc.property(anyInput, expectWithinLimits), RUNS)
  })

  it('no rendering, no file and no number of files is over its limit in tokens', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expectWithinLimits({ ...input, unit: 'tokens', measure: charsPerToken })
      }),
      RUNS,
    )
  })

  function expectWithinLimits(input: BundleInput): void {
    const { bundle, renderings } = build(input)
    const { max_files, max_chars_per_file, total } = bundle.budget.limits
    expect(total).toBe(input.limits.total)
    expect(bundle.files.length).toBeLessThanOrEqual(max_files)
    for (const file of bundle.files) {
      expect(file.chars_emitted).toBe(file.excerpt.length)
      if (!file.fenced) expect(file.chars_emitted).toBeLessThanOrEqual(max_chars_per_file)
    }
    for (const rendering of renderings) expect(input.measure(rendering)).toBeLessThanOrEqual(total)
    expect(bundle.estimate.chars).toBe(Math.max(...renderings.map(({ length }) => length)))
    for (const each of SOURCE_CLASSES) {
      const { max, used } = bundle.budget.partitions[each]
      expect(used).toBeLessThanOrEqual(max)
    }
  }

  it.each([0, 1, 10, 100])('nothing is shown when the frame does not fit into %d', (total) => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { bundle, renderings } = build(withTotal(input, total))
        expect(renderings).toEqual(['', '', ''])
        expect(bundle.files).toEqual([])
        expect(bundle.omitted).toHaveLength(allCandidates(input).length + placesBesides(input).length)
      }),
      FEW,
    )
  })
})

describe('a smaller budget never gives more', () => {
  it('between any two totals', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(20_000), fc.nat(20_000), (input, a, b) => {
        expectNested(build(withTotal(input, Math.min(a, b))), build(withTotal(input, Math.max(a, b))))
      }),
      RUNS,
    )
  })

  it('between any two totals in tokens', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(5_000), fc.nat(5_000), (given, a, b) => {
        const input: BundleInput = { ...given, unit: 'tokens', measure: charsPerToken }
        expectNested(build(withTotal(input, Math.min(a, b))), build(withTotal(input, Math.max(a, b))))
      }),
      RUNS,
    )
  })

  it('from one total to the next', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(6_000), (input, start) => {
        let before = build(withTotal(input, start))
        for (let total = start + 1; total < start + 150; total++) {
          const now = build(withTotal(input, total))
          expectNested(before, now)
          before = now
        }
      }),
      FEW,
    )
  })

  type Built = ReturnType<typeof build>

  /** A file with a place keeps it, with at least as much text; what is named is named or shown. */
  function expectNested(small: Built, large: Built): void {
    small.renderings.forEach((rendering, at) => {
      expect(rendering.length).toBeLessThanOrEqual(large.renderings[at]?.length ?? 0)
    })
    for (const file of small.bundle.files) {
      const same = large.bundle.files.find(
        ({ path, source_class }) => path === file.path && source_class === file.source_class,
      )
      expect(same?.chars_emitted).toBeGreaterThanOrEqual(file.chars_emitted)
    }
    const known = new Set([...(large.bundle.pointers ?? []), ...large.bundle.files].map(({ path }) => path))
    for (const { path } of small.bundle.pointers ?? []) expect(known).toContain(path)
  }
})

describe('classes', () => {
  it('the control plane does not depend on what comes later', () => {
    fc.assert(
      fc.property(anyInput, anyInput, (input, other) => {
        const alone = build({ ...input, slices: { ...input.slices, task: [], tactical: [], adapter: [] } })
        const beside = build({ ...input, slices: { ...other.slices, control_plane: input.slices.control_plane } })
        // With relaxed limits the control plane gets more room too.
        if (alone.bundle.fallback.level !== beside.bundle.fallback.level) return
        expect(ofClass(beside.bundle, 'control_plane')).toEqual(ofClass(alone.bundle, 'control_plane'))
      }),
      RUNS,
    )
  })

  it.each(['tactical', 'adapter'] as const)('without %s not a byte of the others changes', (optional) => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const whole = build(input)
        const without = build({
          ...input,
          slices: { ...input.slices, [optional]: [] },
          adviceWarnings: [],
          degraded: [],
        })
        for (const each of SOURCE_CLASSES.filter((other) => other !== optional)) {
          expect(unranked(ofClass(without.bundle, each))).toEqual(unranked(ofClass(whole.bundle, each)))
        }
        RENDERINGS.forEach((_, at) => {
          const blocks = blocksOf(without.renderings[at] ?? '')
          expect(
            blocksOf(whole.renderings[at] ?? '').filter((block) => !block.includes(` class="${optional}"`)),
          ).toEqual(blocks)
        })
      }),
      RUNS,
    )
  })

  function blocksOf(rendering: string): string[] {
    return rendering.match(/^<loadout_file .*\n[\s\S]*?^<\/loadout_file>$/gm) ?? []
  }

  it('what advice warns of takes no place from anybody', () => {
    fc.assert(
      fc.property(anyInput, fc.array(fc.string({ maxLength: 400 }), { maxLength: 50 }), (input, adviceWarnings) => {
        const [quiet, loud] = [build({ ...input, adviceWarnings: [] }), build({ ...input, adviceWarnings })]
        expect(loud.bundle.files).toEqual(quiet.bundle.files)
        expect(loud.renderings.map(({ length }) => length)).toEqual(quiet.renderings.map(({ length }) => length))
        expect(loud.bundle.warnings).toEqual(expect.arrayContaining(adviceWarnings))
      }),
      FEW,
    )
  })

  it('every candidate is in the bundle once, or left out with a reason', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { bundle } = build(input)
        const key = (path: string, sourceClass: SourceClass) => `${sourceClass} ${path}`
        const named = new Set(bundle.pointers?.map(({ path }) => path))
        const accounted = [...bundle.files, ...bundle.omitted].map((each) => key(each.path, each.source_class))
        const expected = [
          ...allCandidates(input).map((each) => key(each.path, each.sourceClass)),
          ...placesBesides(input).map(({ path }) => key(path, 'task')),
        ]
        expect(accounted.every((each) => expected.includes(each))).toBe(true)
        for (const each of expected) {
          expect(accounted.includes(each) || named.has(each.slice(each.indexOf(' ') + 1))).toBe(true)
        }
        for (const { reason, detail } of bundle.omitted) {
          expect(['budget', 'duplicate']).toContain(reason)
          expect(detail).not.toBe('')
        }
        for (const each of SOURCE_CLASSES) {
          const paths = ofClass(bundle, each).map(({ path }) => path)
          expect(new Set(paths).size).toBe(paths.length)
        }
      }),
      RUNS,
    )
  })

  it('ranks count from one, in the order of the classes and of the candidates', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { files } = build(input).bundle
        expect(files.map(({ rank }) => rank)).toEqual(files.map((_, at) => at + 1))
        const order = files.map(({ source_class }) => SOURCE_CLASSES.indexOf(source_class))
        expect(order).toEqual([...order].sort((a, b) => a - b))
        for (const each of SOURCE_CLASSES) {
          const wanted = input.slices[each].map(({ path }) => path)
          if (new Set(wanted).size < wanted.length) continue
          const places = files.filter((file) => file.source_class === each).map(({ path }) => wanted.indexOf(path))
          expect(places).toEqual([...places].sort((a, b) => a - b))
        }
      }),
      RUNS,
    )
  })

  it('a file is called truncated when something of it is not shown', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        for (const file of build(input).bundle.files) {
          const [candidate, ...others] = input.slices[file.source_class].filter(({ path }) => path === file.path)
          if (others.length > 0) continue
          const isRead = candidate?.charsTotal === candidate?.text.length
          if (!isRead) expect(file.truncated).toBe(true)
          if (file.chars_total !== null) {
            expect(file.chars_emitted).toBeLessThanOrEqual(file.chars_total)
            expect(file.truncated).toBe(file.chars_emitted < file.chars_total)
          }
        }
      }),
      RUNS,
    )
  })
})

describe('fallback', () => {
  it('is relaxed only when control plane or task got no place, and then gives it one', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { bundle } = build(input)
        const [asked, wider] = bundle.fallback.attempts
        expect(asked).toMatchObject({
          level: 'restricted',
          limits: { max_files: input.limits.maxFiles, max_chars_per_file: input.limits.maxCharsPerFile },
        })
        expect(bundle.fallback.attempts.length).toBeLessThanOrEqual(2)
        expect(wider !== undefined).toBe(asked?.success === false && !input.limits.isSet?.maxFiles)
        expect(bundle.fallback.level === 'restricted' || wider !== undefined).toBe(true)
        const used = bundle.fallback.attempts.find(({ level }) => level === bundle.fallback.level)
        expect(bundle.budget.limits).toEqual(used?.limits)
        for (const { limits } of bundle.fallback.attempts) expect(limits.total).toBe(input.limits.total)
        const isEmpty = (['control_plane', 'task'] as const).some(
          (each) => input.slices[each].length > 0 && ofClass(bundle, each).length === 0 && !isRepeated(input, each),
        )
        expect(used?.success).toBe(!isEmpty)
      }),
      RUNS,
    )
  })

  /** Every candidate of the slice is a duplicate. */
  function isRepeated(input: BundleInput, each: SourceClass): boolean {
    const { omitted } = build({ ...input, pointers: undefined, limits: { ...input.limits, maxFiles: 0 } }).bundle
    return omitted.every(({ source_class, reason }) => source_class !== each || reason === 'duplicate')
  }

  it('never widens a limit that a user set', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const isSet = { maxFiles: true, maxCharsPerFile: true }
        const input = { ...given, limits: { ...given.limits, isSet } }
        const { bundle, renderings } = build(input)
        expect(bundle.fallback.level).toBe('restricted')
        expect(bundle.files.length).toBeLessThanOrEqual(input.limits.maxFiles)
        const more = build({ ...input, limits: { ...input.limits, maxFiles: input.limits.maxFiles + 1 } })
        // One more large file may take the room that later classes would have got.
        const planes = [bundle, more.bundle].map((each) => ofClass(each, 'control_plane').length)
        expect(planes[1]).toBeGreaterThanOrEqual(planes[0]!)
        expect(renderings.length).toBe(3)
      }),
      RUNS,
    )
  })

  it('the smallest budget that gives something does, and one less does not', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(900), (given, total) => {
        const input = withTotal(given, total)
        const { bundle, needs: find } = buildBundle(input)
        const needs = find()
        if (needs === undefined) return
        expect(bundle.files.filter(({ excerpt }) => excerpt !== '')).toEqual([])
        const [enough, less] = [build(withTotal(input, needs)), build(withTotal(input, needs - 1))]
        const canShow = bundle.budget.limits.max_files > 0 && bundle.omitted.length > 0
        if (canShow) expect(enough.bundle.files.length).toBeGreaterThan(0)
        else expect(enough.bundle.estimate.chars).toBeGreaterThan(0)
        if (canShow) expect(less.bundle.files.every(({ excerpt }) => excerpt === '')).toBe(true)
      }),
      FEW,
    )
  })

  it('gives the task a place that the control plane took', () => {
    const make = (sourceClass: SourceClass, path: string) => candidateOf(path, `text of ${path}`, { sourceClass })
    const [sample] = fc.sample(anyInput, { numRuns: 1, seed: 1 })
    const input: BundleInput = {
      ...sample!,
      slices: {
        control_plane: [make('control_plane', 'a.md'), make('control_plane', 'b.md')],
        task: [make('task', 'c.md')],
        tactical: [],
        adapter: [],
      },
      pointers: undefined,
      limits: { partitions: DEFAULT_PARTITIONS, maxFiles: 2, maxCharsPerFile: 100, total: 20_000 },
    }
    const { bundle } = build(input)
    expect(bundle.files.map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c.md'])
    expect(bundle.fallback).toMatchObject({
      level: 'relaxed',
      attempts: [
        { level: 'restricted', success: false, reason: 'the task slice came out empty' },
        { level: 'relaxed', success: true, limits: { max_files: 4, max_chars_per_file: 200, total: 20_000 } },
      ],
    })
  })

  it('goes beyond the total only when it was allowed to, and never above the ceiling', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const input = { ...given, mayBeUnrestricted: true }
        const { bundle, renderings } = build(input)
        const { total, max_files, max_chars_per_file } = bundle.budget.limits
        expect(total).toBeLessThanOrEqual(Math.max(400_000, input.limits.total))
        expect(max_files).toBeGreaterThanOrEqual(Math.min(200, input.limits.maxFiles))
        expect(max_chars_per_file).toBeGreaterThanOrEqual(input.limits.maxCharsPerFile)
        for (const rendering of renderings) expect(rendering.length).toBeLessThanOrEqual(total)
        const isWider = bundle.fallback.level === 'unrestricted'
        expect(isWider).toBe(bundle.fallback.attempts.some(({ level }) => level === 'unrestricted'))
        const candidates = new Set(allCandidates(input).map(({ path }) => path))
        const left = bundle.omitted.filter(({ reason, path }) => reason === 'budget' && candidates.has(path))
        if (!isWider) expect(left).toEqual([])
      }),
      RUNS,
    )
  })
})

describe('bytes', () => {
  it('are the same for the same input', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const [one, two] = [build(input), build(structuredCloneOf(input))]
        expect(canonicalJson(two.bundle)).toBe(canonicalJson(one.bundle))
        expect(two.renderings).toEqual(one.renderings)
      }),
      RUNS,
    )
  })

  function structuredCloneOf({ measure, tokenizer, ...rest }: BundleInput): BundleInput {
    return { ...structuredClone(rest), measure, tokenizer }
  }

  it('have their keys in order at every level, and a digest over all the rest', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { bundle } = build(input)
        const json = canonicalJson(bundle)
        expectSorted(JSON.parse(json))
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(bundle)))
        const { digest, ...rest } = bundle
        expect(withDigest(rest).digest).toBe(digest)
        for (const key of Object.keys(rest)) {
          expect(withDigest({ ...rest, [key]: 'something else' }).digest).not.toBe(digest)
        }
      }),
      FEW,
    )
  })

  function expectSorted(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) {
      // JavaScript puts keys that look like numbers first in any object.
      expect(Object.keys(value)).toEqual(Object.keys(value).sort())
    }
    for (const each of Object.values(value)) expectSorted(each)
  }
})

describe('fences', () => {
  it('hold every file once, and nothing inside can open or close one', () => {
    fc.assert(fc.property(anyInput, expectFenced), RUNS)
  })

  it('hold wherever a text is cut', () => {
    fc.assert(
      fc.property(anyInput, anyLimits, (input, limits) => {
        const maxFiles = 40
        for (let cut = 0; cut < 60; cut++) {
          expectFenced({ ...input, limits: { ...limits, maxFiles, maxCharsPerFile: cut, total: 40_000 } })
        }
      }),
      FEW,
    )
  })

  function expectFenced(input: BundleInput): void {
    const { bundle, renderings } = build(input)
    const files = bundle.files.filter(({ fenced }) => !fenced).flatMap(() => ['loadout_file', '/loadout_file'])
    const framed = { markdown: files, xml: ['loadout_context', ...files, '/loadout_context'], text: files }
    RENDERINGS.forEach((each, at) => {
      const rendering = renderings[at] ?? ''
      expect(readReservedTags(rendering)).toEqual(rendering === '' ? [] : framed[each])
      expect(HOST_TAGS.filter((tag) => rendering.includes(tag))).toEqual([])
      expect(rendering).not.toMatch(/^Human:|<sys\u200dtem>/m)
    })
  }
})
