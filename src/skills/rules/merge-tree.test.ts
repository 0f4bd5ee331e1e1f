import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MergeFile, type MergeTree, mergeTrees, type TreeMerge } from './merge-tree.ts'

type Files = Record<string, string>

/** The prefix `x:` makes a file executable, `0:` makes it binary. */
function tree(files: Files): MergeTree {
  return new Map(
    Object.entries(files).map(([path, content]): [string, MergeFile] => {
      const text = content.replace(/^[x0]:/, '')
      const isBinary = content.startsWith('0:')
      return [
        path,
        { id: isBinary ? content : text, isExecutable: content.startsWith('x:'), text: isBinary ? undefined : text },
      ]
    }),
  )
}

/** The merged files, and the conflicts as `kind path`. */
function show(merge: TreeMerge, ours: MergeTree, theirs: MergeTree): { files: Files; conflicts: string[] } {
  const contentOf = (file: MergeFile | undefined) => file?.text ?? file?.id ?? '?'
  const files = [...merge.files].map(([path, file]) => {
    const content = file.from === 'merge' ? file.text : contentOf((file.from === 'ours' ? ours : theirs).get(file.path))
    return [path, `${file.isExecutable ? 'x:' : ''}${content}`]
  })
  return { files: Object.fromEntries(files), conflicts: merge.conflicts.map(({ kind, path }) => `${kind} ${path}`) }
}

function merge(base: Files, ours: Files, theirs: Files) {
  const [of, our, their] = [tree(base), tree(ours), tree(theirs)]
  return show(mergeTrees({ base: of, ours: our, theirs: their }), our, their)
}

const LONG = 'one\ntwo\nthree\nfour\nfive\n'
const TAIL = 'one\ntwo\nthree\nfour\nFIVE\n'
const HEAD = 'ONE\ntwo\nthree\nfour\nfive\n'
const BOTH = 'ONE\ntwo\nthree\nfour\nFIVE\n'

type Row = [what: string, base: Files, ours: Files, theirs: Files, files: Files, conflicts?: string[]]
const ROWS: Row[] = [
  ['nothing changed', { a: '1' }, { a: '1' }, { a: '1' }, { a: '1' }],
  ['different files changed', { a: '1', b: '1' }, { a: '2', b: '1' }, { a: '1', b: '2' }, { a: '2', b: '2' }],
  ['one file, different places', { a: LONG }, { a: HEAD }, { a: TAIL }, { a: BOTH }],
  ['one file, the same place', { a: 'x' }, { a: 'y' }, { a: 'z' }, {}, ['text a']],
  ['added on either side', {}, { a: '1' }, { b: '1' }, { a: '1', b: '1' }],
  ['the same file added', {}, { a: '1' }, { a: '1' }, { a: '1' }],
  ['different files added in one place', {}, { a: '1' }, { a: '2' }, {}, ['text a']],
  ['removed by one', { a: '1', b: '1' }, { b: '1' }, { a: '1', b: '1' }, { b: '1' }],
  ['removed by both', { a: '1' }, {}, {}, {}],
  ['removed here, changed there', { a: '1' }, {}, { a: '2' }, {}, ['removed a']],
  ['removed here, made runnable there', { a: '1' }, {}, { a: 'x:1' }, {}, ['removed a']],
  ['renamed by one', { a: LONG }, { b: LONG }, { a: LONG }, { b: LONG }],
  ['renamed here, changed there', { a: LONG }, { b: LONG }, { a: TAIL }, { b: TAIL }],
  ['renamed and changed here, changed there', { a: LONG }, { b: HEAD }, { a: TAIL }, { b: BOTH }],
  ['renamed alike by both', { a: LONG }, { b: HEAD }, { b: TAIL }, { b: BOTH }],
  ['renamed differently', { a: LONG }, { b: LONG }, { c: LONG }, {}, ['renamed b']],
  ['renamed here, removed there', { a: LONG }, { b: LONG }, {}, {}, ['removed b']],
  [
    'renamed to a place where the other added',
    { a: LONG },
    { b: LONG },
    { a: LONG, b: '9' },
    {},
    ['place b', 'place b'],
  ],
  ['a file where the other has a folder', {}, { a: '1' }, { 'a/b': '1' }, {}, ['place a', 'place a/b']],
  ['made runnable by one, changed by the other', { a: LONG }, { a: `x:${LONG}` }, { a: TAIL }, { a: `x:${TAIL}` }],
  ['made runnable by both', { a: '1' }, { a: 'x:1' }, { a: 'x:1' }, { a: 'x:1' }],
  ['binary changed by one', { a: '0:1' }, { a: '0:1' }, { a: '0:2' }, { a: '0:2' }],
  ['binary changed alike', { a: '0:1' }, { a: '0:2' }, { a: '0:2' }, { a: '0:2' }],
  ['binary changed differently', { a: '0:1' }, { a: '0:2' }, { a: '0:3' }, {}, ['binary a']],
  ['text here, binary there', { a: '1' }, { a: '2' }, { a: '0:3' }, {}, ['binary a']],
  ['binary renamed and changed elsewhere', { a: '0:1' }, { b: '0:1' }, { a: '0:2' }, { b: '0:2' }],
]

describe('mergeTrees', () => {
  it.each(ROWS)('%s', (_, base, ours, theirs, files, conflicts = []) => {
    expect(merge(base, ours, theirs)).toEqual({ files, conflicts })
  })

  it.each(ROWS)('%s, from the other side', (_, base, ours, theirs, files, conflicts = []) => {
    const turned = merge(base, theirs, ours)
    expect(turned.files).toEqual(files)
    expect(turned.conflicts.map((each) => each.split(' ')[0])).toEqual(conflicts.map((each) => each.split(' ')[0]))
  })
})

const content = fc.constantFrom('1', '2', LONG, HEAD, TAIL, 'x:1', '0:1', '0:2')
const files = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'a/x'), content, { maxKeys: 4 })
  .filter((each) => !('a' in each && 'a/x' in each))

describe('for any folders', () => {
  it('one side without changes gives the other side', () => {
    fc.assert(
      fc.property(files, files, (base, side) => {
        expect(merge(base, side, base)).toEqual({ files: side, conflicts: [] })
        expect(merge(base, base, side)).toEqual({ files: side, conflicts: [] })
        expect(merge(base, side, side)).toEqual({ files: side, conflicts: [] })
      }),
    )
  })

  it('a file that only one side has is merged or in a conflict', () => {
    fc.assert(
      fc.property(files, files, files, (base, ours, theirs) => {
        const [of, our, their] = [tree(base), tree(ours), tree(theirs)]
        const result = mergeTrees({ base: of, ours: our, theirs: their })
        const idOf = (each: { path: string; from: 'ours' | 'theirs' }) =>
          (each.from === 'ours' ? our : their).get(each.path)?.id
        const known = new Set([...of.values()].map(({ id }) => id))
        for (const [side, from] of [
          ['ours', our],
          ['theirs', their],
        ] as const) {
          for (const [path, file] of from) {
            if (known.has(file.id)) continue
            const isTaken = [...result.files.values()].some((each) =>
              each.from === 'merge'
                ? each[side] === path
                : each.from === side
                  ? each.path === path
                  : from.get(path)?.id === idOf(each),
            )
            // Or the other side has the same content.
            const isConflict = result.conflicts.some(
              (each) =>
                each[side]?.path === path ||
                our.get(each.ours?.path ?? '')?.id === file.id ||
                their.get(each.theirs?.path ?? '')?.id === file.id,
            )
            expect(isTaken || isConflict).toBe(true)
          }
        }
      }),
    )
  })
})
