import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** A real browser, for what only one can tell: where a text stands, what a page does. */
export interface StartedBrowser {
  browser: Browser
  /** Ends it, and removes everything that it wrote. */
  stop(): Promise<void>
}

/**
 * Starts the browser that npm brought, with a home of its own: it downloads nothing, needs nothing of the system, and leaves
 * nothing. Unpacking takes some seconds of CPU time, so all files of a test run share the unpacked program. Start one for a
 * whole file.
 */
export async function startBrowser(): Promise<StartedBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-browser-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  try {
    const unpacked = join(process.env.LOADOUT_TEST_RUN ?? folder, 'browser')
    if (!existsSync(unpacked)) {
      const own = mkdtempSync(`${unpacked}-`)
      await unpack(own)
      try {
        renameSync(own, unpacked)
      } catch {
        // Another file of the run was faster.
        rmSync(own, { recursive: true })
      }
    }
    const { path, args } = await unpack(unpacked)
    const { PATH = '' } = process.env
    const env = { PATH, ...librariesIn(unpacked, folder) }
    const browser = await chromium.launch({
      executablePath: path,
      args,
      env: { ...env, HOME: home, TMPDIR: folder },
      headless: true,
    })
    const stop = async () => {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    }
    return { browser, stop }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * The package unpacks to where the environment says temporary files belong, and brings the libraries that a bare system
 * lacks only where it takes the machine for Amazon's.
 */
async function unpack(folder: string) {
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' })
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    packed.setGraphicsMode = false
    const path = await packed.executablePath()
    return { path, args: packed.args }
  } finally {
    for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key]
    Object.assign(process.env, before)
  }
}

/** Only the fonts that it brings, so that a page looks the same on every machine. */
function librariesIn(unpacked: string, folder: string) {
  const fonts = join(folder, 'fonts.conf')
  const [dir, cache] = [`<dir>${unpacked}/fonts</dir>`, `<cachedir>${folder}/font-cache</cachedir>`]
  writeFileSync(fonts, `<?xml version="1.0"?>\n<fontconfig>${dir}${cache}</fontconfig>\n`)
  return { LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'), FONTCONFIG_FILE: fonts }
}
