import { describe, expect, it } from 'vitest'
import { judge, leastOf, type ProjectFacts, recipesOf, statementsIn, targetsOf } from './statements.ts'

const FACTS: ProjectFacts = {
  files: new Set(['src/app/router.ts', 'docs/guide.md', 'package.json']),
  folders: new Set(['src/', 'src/app/', 'docs/']),
  scripts: new Set(['test']),
  targets: new Set(['lint']),
  recipes: undefined,
  least: { node: { version: '22', from: 'engines' } },
}

describe('what a text says about its project', () => {
  const rows: [text: string, verdicts: string[]][] = [
    ['See `src/app/router.ts` and `app/router.ts:12`.', ['path true', 'path true']],
    ['The router is `src/app/routes.ts`.', ['path false']],
    ['Run `npm run lint` or `npm test`.', ['script false', 'script true']],
    ['Run `make lint` and `make -C x all`, then `just build`.', ['target true', 'recipe unknown']],
    ['[guide](docs/guide.md), [gone](docs/gone.md), [web](https://a.b/c.md)', ['link true', 'link false']],
    ['Use Node 18.', ['version false']],
    ['Use Node.js 24.', ['version true']],
    ['We dropped support for Node 18.', []],
    ['```ts\nimport x from "src/app/no.ts"\n```', []],
    ['```sh\nnpm run build\ncd other\nnpm run other\n```', ['script false']],
    ['`owner/repo`, `application/json`, `foo/bar.ts`, `<name>/x.ts`, `src/*.ts`', []],
    ['@docs/guide.md', ['link true']],
    ['Link to it with `[text](docs/gone.md)`.', []],
    ['```\nskill/\n  scripts/   # programs\n```', []],
  ]
  it.each(rows)('%j', (text, verdicts) => {
    const said = statementsIn(text).map((each) => `${each.kind} ${judge(each, FACTS, '')}`)
    expect(said).toEqual(verdicts)
  })
})

it('a range has a least version only without alternatives', () => {
  expect(['>=22', '^20.1', '22.x', '>=3.9,<4', '18 || 20'].map(leastOf)).toEqual(['22', '20.1', '22', '3.9', undefined])
})

it('targets are unknown when rules make them', () => {
  expect(targetsOf('all: build\nbuild lint:\n\tgo\nX := 1\n')).toEqual(['all', 'build', 'lint'])
  expect(targetsOf('include more.mk\nall:\n')).toBeUndefined()
  expect(recipesOf('build a b:\n  x\nalias b := build\n')).toEqual(['build', 'b'])
})
