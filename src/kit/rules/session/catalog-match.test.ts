import { expect, it } from 'vitest'
import { compileCatalog, findInCatalog } from './catalog-match.ts'

const ITEMS = [
  { name: 'release-notes', description: 'Drafts release notes from merged changes.' },
  { name: 'db-migrations', description: 'Writes and checks migrations of the database schema.' },
  { name: 'api-review', description: 'Reviews an API for naming, paging and errors.' },
  { name: '部署指南', description: '如何部署服务' },
  { name: '__proto__', description: 'constructor of toString' },
]
const INDEX = JSON.parse(
  JSON.stringify(compileCatalog(ITEMS, ['the', 'a', 'of', 'for', 'please', 'me', 'what', 'is', 'in'])),
)

const rows: [prompt: string, found: string[]][] = [
  ['please draft the release notes', ['release-notes']],
  ['drafting notes of a release', ['release-notes']],
  ['check the database migrations', ['db-migrations']],
  ['请部署服务', ['部署指南']],
  ['fix the failing test in the parser', []],
  ['the notes in my calendar are shown twice after every change of the time zone', []],
  ['toString', []],
  ['', []],
]
it.each(rows)('%j', (prompt, found) => {
  expect(findInCatalog(INDEX, prompt).map((place) => ITEMS[place]?.name)).toEqual(found)
})

it('an empty catalog answers nothing', () => {
  expect(findInCatalog(compileCatalog([], []), 'release notes')).toEqual([])
})
