import { expect, it } from 'vitest'
import { scanForSecrets } from '../../src/machine/secret-scanner.ts'
import { Random } from './random.ts'

const random = new Random(3)
const TOKEN = ['gh', 'p_', random.letters(36)].join('')
const found = async (text: string) =>
  (await scanForSecrets(text)).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)

it('a token is found where it stands', async () => {
  expect(await found(`a ${TOKEN} b`)).toEqual([`github ${TOKEN}`])
  expect(await found(`\ufeffa ${TOKEN} b`)).toEqual([`github ${TOKEN}`])
  expect(await found('')).toEqual([])
})

it('the text cannot switch the scanner off', async () => {
  for (const comment of ['secretlint-disable', 'secretlint-disable-line', 'secretlint-disable-next-line']) {
    expect(await found(`${comment}\n${TOKEN} // ${comment}\n`)).toEqual([`github ${TOKEN}`])
  }
})

it('a range holds the whole of what a rule reports', async () => {
  const value = random.letters(40)
  const [first = ''] = await found(`AWS_SECRET_ACCESS_KEY = "${value}"`)
  expect(first).toContain(value)
})

it('a token at a cut of a long text is found whole, and once is enough', async () => {
  for (const before of [57_344, 65_500, 65_535]) {
    const all = await found(`${'.'.repeat(before)} ${TOKEN} ${'.'.repeat(100_000)}`)
    expect(new Set(all)).toEqual(new Set([`github ${TOKEN}`]))
  }
})

it('a placeholder is no leak', async () => {
  const placeholders = [
    ['gh', 'p_', 'x'.repeat(36)],
    ['xo', 'xb-xxxxxxxxx-xxxxxxxxxx-xxxxxxxxxxxx'],
    ['https://indieweb.org/2018-250-xo', 'xo-indieweb-1.jpg'],
    ['https://user:', 'pass', '@proxy.acme.dev'],
    ['https://git:', 'secret-token', '@acme.dev'],
  ]
  for (const pieces of placeholders) expect(await found(pieces.join(''))).toEqual([])
  expect(await found(['https://jo:', 'koala7x', '@proxy.acme.dev'].join(''))).toHaveLength(1)
})
