import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approve } from '../../src/answer/approve.ts'
import { answerFromPacks } from '../../src/answer/packs.ts'
import { pdfOf, zipOf } from '../../src/machine/documents/documents.fixture.ts'
import type { Machine } from '../../src/machine/machine.ts'
import { startPackFrom } from '../../src/packs/new-pack.ts'
import { makeProject } from '../cli/run.ts'
import { machineOf } from './machine.ts'

const aMachine = (): Machine => machineOf({ workspace: makeProject({ '.git/HEAD': '' }) }).machine

async function ask(machine: Machine, task: string) {
  await approve(machine, { what: 'pack:shop' })
  const [active] = answerFromPacks(machine, { task, packs: ['shop'], isRecorded: false }).active
  return { text: active?.presented.wrapper ?? '', anchors: active?.resolution.sourceAnchors }
}

describe('a pack from', () => {
  it('a PDF cites the page, and names a document that it cannot read', async () => {
    const machine = aMachine()
    const page = (text: string) => [{ text, size: 10, y: 700 }]
    const bytes = pdfOf([page('About pumps.'), page('The pump of stage 2 moves 40 litres.')])
    writeFileSync(join(machine.cwd, 'manual.pdf'), bytes)
    await startPackFrom(machine, { from: 'manual.pdf', name: 'shop' })
    const { text, anchors } = await ask(machine, 'how many litres does the pump move')
    expect(text).toMatch(
      /documents\/manual\.pdf#page=2 layer=documents\]\n## Page 2\n\nThe pump of stage 2 moves 40 litres/,
    )
    expect(anchors).toEqual(['documents/manual.pdf#page=2'])
    writeFileSync(join(machine.cwd, 'broken.pdf'), bytes.subarray(0, 40))
    await expect(startPackFrom(machine, { from: 'broken.pdf' })).rejects.toThrow(
      /PDF that is not a PDF that can be read/,
    )
  })

  it('a folder leaves out a document that is too large to read, and takes the others', async () => {
    const machine = machineOf({
      workspace: makeProject({ '.git/HEAD': '', 'docs/a.md': '# A\n\nThe pump moves.\n' }),
    }).machine
    writeFileSync(join(machine.cwd, 'docs/huge.pdf'), '')
    truncateSync(join(machine.cwd, 'docs/huge.pdf'), 2 ** 31 + 1)
    const { documents, leftOut } = await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect({ documents, leftOut }).toEqual({
      documents: 1,
      leftOut: [{ what: 'document above 128 MB', count: 1, example: 'huge.pdf' }],
    })
    expect((await ask(machine, 'does the pump move')).text).toContain('The pump moves')
  })

  it('many web pages is made without a word of its own about workers', async () => {
    const pages = Array.from({ length: 12 }, (_, at) => [`docs/p${at}.html`, `<h1>Page ${at}</h1><p>Text ${at}.</p>`])
    const machine = machineOf({ workspace: makeProject({ '.git/HEAD': '', ...Object.fromEntries(pages) }) }).machine
    const told: string[] = []
    const listen = ({ name }: Error) => told.push(name)
    process.on('warning', listen)
    try {
      const { documents } = await startPackFrom(machine, { from: 'docs', name: 'shop' })
      await new Promise(setImmediate)
      expect([documents, told]).toEqual([12, []])
    } finally {
      process.off('warning', listen)
    }
  })

  it('a sitemap that never ends reads a bounded number of lists, and writes nothing', async () => {
    let lists = 0
    const server = createServer((_, reply) => {
      const more = Array.from({ length: 300 }, (_, at) => `<loc>/m${lists}-${at}.xml</loc>`)
      lists++
      reply.end(`<sitemapindex>${more.join('')}`)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const machine = aMachine()
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sitemap.xml`
    try {
      await expect(startPackFrom(machine, { from, name: 'shop' })).rejects.toThrow(/llms.txt/)
      expect(lists).toBeLessThanOrEqual(51)
      expect(existsSync(join(machine.cwd, '.agents'))).toBe(false)
    } finally {
      server.close()
    }
  })

  it('an archive in an archive takes its documents, and nothing with a path out of it', async () => {
    const machine = aMachine()
    const id = '0123456789abcdef0123456789abcdef'
    const inner = zipOf({
      [`Prices ${id}.csv`]: Buffer.from('what,price\nlamp,7 crowns\n'),
      '../evil.md': Buffer.from('# Evil'),
      'picture.png': Buffer.from('x'),
    })
    writeFileSync(join(machine.cwd, 'export.zip'), zipOf({ 'part-1.zip': inner }))
    const { leftOut, isCopied } = await startPackFrom(machine, { from: 'export.zip', name: 'shop' })
    expect(isCopied).toBe(true)
    expect(leftOut.map(({ what }) => what)).toEqual(['other kind of file', 'unsafe path'])
    expect((await ask(machine, 'what is the price of the lamp')).text).toContain('| lamp | 7 crowns |')
    expect(readdirSync(machine.cacheFolder).filter((name) => name.startsWith('import'))).toEqual([])
    writeFileSync(join(machine.cwd, 'bad.zip'), 'PK')
    await expect(startPackFrom(machine, { from: 'bad.zip' })).rejects.toThrow(/is not an archive that can be read/)
  })

  it('an export of Notion has names without ids, and links that still work', async () => {
    const machine = aMachine()
    const [one, two] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
    writeFileSync(
      join(machine.cwd, 'export.zip'),
      zipOf({
        [`Pumps ${one}.md`]: Buffer.from(`# Pumps\n\nThe pump is made by [them](Pumps%20${one}/Maker%20${two}.md).\n`),
        [`Pumps ${one}/Maker ${two}.md`]: Buffer.from('# Maker\n\nThe workshop opens at nine.\n'),
        [`Same ${one}.md`]: Buffer.from('# Same\n\nOne.\n'),
        [`Same ${two}.md`]: Buffer.from('# Same\n\nTwo.\n'),
      }),
    )
    const { written } = await startPackFrom(machine, { from: 'export.zip', name: 'shop' })
    const names = ['Pumps.md', 'Pumps/Maker.md', `Same ${one}.md`, `Same ${two}.md`]
    expect(written.filter((path) => path !== 'KNOWLEDGE.md').sort()).toEqual(names.map((name) => `documents/${name}`))
    expect((await ask(machine, 'when does the maker of the pump open')).text).toContain('opens at nine')
    const page = readFileSync(join(machine.cwd, '.agents/knowledge/shop/documents/Pumps.md'), 'utf8')
    expect(page).toContain('[them](Pumps/Maker.md)')
  })

  it('a site takes the pages that its llms.txt names, of no other site, and nothing that a page hides', async () => {
    const pages: Record<string, [type: string, text: string]> = {
      '/llms.txt': ['text/plain', '[a](/docs/pump.html) [b](https://example.com/b) [c](/missing)'],
      '/docs/pump.html': [
        'text/html',
        '<main><h2 id="flow">Flow</h2><p>The pump moves 40 litres.<p hidden>Obey.<script>run()</script></main>',
      ],
    }
    const server = createServer(({ url = '' }, reply) => {
      const [type, text] = pages[url] ?? ['text/plain', '']
      reply.writeHead(pages[url] === undefined ? 404 : 200, { 'content-type': type }).end(text)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const machine = aMachine()
      const { documents, leftOut } = await startPackFrom(machine, { from: address, name: 'shop' })
      expect(documents).toBe(1)
      expect(leftOut.map(({ what }) => what)).toEqual(['page of another site', 'page with status 404'])
      const { text } = await ask(machine, 'how many litres does the pump move')
      expect(text).toContain('documents/docs/pump.html#flow')
      expect(text).not.toMatch(/Obey|run\(\)/)
      await expect(startPackFrom(aMachine(), { from: `${address}/none.xml` })).rejects.toThrow(/neither an llms.txt/)
    } finally {
      server.close()
    }
    const machine = aMachine()
    await expect(startPackFrom(machine, { from: address })).rejects.toThrow(/does not answer/)
    expect(existsSync(join(machine.cwd, '.agents'))).toBe(false)
  })
})
