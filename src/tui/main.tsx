import { render } from 'ink'
import { createElement } from 'react'
import { App } from './app.tsx'
import { decodeInput } from './decode-input.ts'
import { colourDepth } from './frame/paint.ts'
import type { Model } from './model.ts'
import { PaintedOutput } from './painted-output.ts'
import { startWorker } from './start-worker.ts'
import { createStore } from './store.ts'
import { screenSize, type TakenScreen } from './terminal.ts'
import { ready } from './yoga.ts'

const TICK_MS = 120

/** Runs the interface until the user leaves it. */
export async function runInterface(initial: Model, screen: TakenScreen): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    let isOver = false
    const worker = startWorker({ dispatch: (message) => store.dispatch(message), fail: (error) => fail(error) })
    const store = createStore(initial, (effect) => {
      if (effect.kind === 'quit') end(() => resolve(0))
      else if (!isOver) worker.run(effect)
    })
    const output = new PaintedOutput(screen)
    let rest = ''
    const onData = (chunk: string) => {
      const decoded = decodeInput(rest + chunk)
      rest = decoded.rest
      for (const message of decoded.messages) store.dispatch(message)
    }
    const onResize = () => {
      screen.forget()
      store.dispatch({ kind: 'resized', size: screenSize() })
    }
    const ticking = setInterval(() => store.read().work && store.dispatch({ kind: 'tick' }), TICK_MS)
    const end = (settle: () => void) => {
      if (isOver) return
      isOver = true
      clearInterval(ticking)
      process.stdin.off('data', onData).pause()
      process.stdout.off('resize', onResize)
      ink?.unmount()
      screen.giveBack()
      worker.stop().then(settle)
    }
    const fail = (error: unknown) => end(() => reject(error))
    let ink: ReturnType<typeof render> | undefined
    process.on('uncaughtException', fail).on('unhandledRejection', fail)
    screen.onSignal((code) => end(() => resolve(code)))
    process.stdout.on('resize', onResize)
    process.stdin.setEncoding('utf8').on('data', onData).resume()
    worker.run({ kind: 'load inventory', project: initial.scope === 'project' ? initial.project : undefined })
    ready
      .then(() => {
        const depth = colourDepth(process.env)
        // Debug: every frame is written whole, and the screen finds out what is new in it.
        const options = { debug: true, exitOnCtrlC: false, patchConsole: false }
        ink = render(createElement(App, { store, depth }), { stdout: output as never, ...options })
        // Ink ends by itself only when something could not be drawn.
        return ink.waitUntilExit()
      })
      .catch(fail)
  })
}
