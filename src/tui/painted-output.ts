import { EventEmitter } from 'node:events'
import { screenSize, type TakenScreen } from './terminal.ts'

/** What Ink takes for its terminal: every frame it writes goes to the screen. */
export class PaintedOutput extends EventEmitter {
  readonly #screen: TakenScreen
  readonly isTTY = true

  constructor(screen: TakenScreen) {
    super()
    this.#screen = screen
  }

  get columns(): number {
    return screenSize().columns
  }

  /** One more than there are, so that a full screen is not taken for one that overflows. */
  get rows(): number {
    return screenSize().rows + 1
  }

  write(frame: string): boolean {
    this.#screen.paint(frame.replace(/\n$/, '').split('\n'))
    return true
  }
}
