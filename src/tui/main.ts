import { decodeInput } from './decode-input.ts'
import { colourDepth, paintLine } from './frame/paint.ts'
import type { Effect, Message } from './message.ts'
import type { Model } from './model.ts'
import { startWorker } from './start-worker.ts'
import { screenSize, type TakenScreen } from './terminal.ts'
import { update } from './update.ts'
import { view } from './view.ts'

/** Runs the interface until the user leaves it. */
export async function runInterface(initial: Model, screen: TakenScreen): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    let isOver = false
    const worker = startWorker({ dispatch: (message) => store.dispatch(message), fail: (error) => fail(error) })
    const store = createStore(initial, (effect) => {
      if (effect.kind === 'quit') end(() => resolve(0))
      else if (!isOver) worker.run(effect)
    })
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
    const ticking = setInterval(() => store.read().work && store.dispatch({ kind: 'tick' }), 120)
    const end = (settle: () => void) => {
      if (isOver) return
      isOver = true
      clearInterval(ticking)
      process.stdin.off('data', onData).pause()
      process.stdout.off('resize', onResize)
      screen.giveBack()
      worker.stop().then(settle)
    }
    const fail = (error: unknown) => end(() => reject(error))
    process.on('uncaughtException', fail).on('unhandledRejection', fail)
    screen.onSignal((code) => end(() => resolve(code)))
    store.subscribe(painter(screen, store.read, () => isOver))
    process.stdout.on('resize', onResize)
    process.stdin.setEncoding('utf8').on('data', onData).resume()
    worker.run({ kind: 'load inventory', project: initial.scope === 'project' ? initial.project : undefined })
    // The size may have changed since the first paint.
    onResize()
  })
}

/** Paints the model once, however many messages arrived together. */
function painter(screen: TakenScreen, read: () => Model, isOver: () => boolean): () => void {
  const depth = colourDepth(process.env)
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      if (!isOver()) screen.paint(view(read()).map((line) => paintLine(line, depth)))
    })
  }
}

/** The current model, and listeners for its changes. */
interface Store {
  read(): Model
  subscribe(listener: () => void): () => void
  dispatch(message: Message): void
}

/** Runs effects after the model has changed, in their order. */
function createStore(initial: Model, run: (effect: Effect) => void): Store {
  let model = initial
  const listeners = new Set<() => void>()
  return {
    read: () => model,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispatch(message) {
      const { model: next, effects } = update(model, message)
      const isChanged = next !== model
      model = next
      if (isChanged) for (const listener of listeners) listener()
      for (const effect of effects) run(effect)
    },
  }
}
