import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  children: ComponentChildren
  onClose(): void
  /** Buttons beside Cancel. */
  actions?: ComponentChildren
  isWide?: boolean
}

/** Covers the page until it is closed. Keeps the focus inside, and returns it to where it was. */
export function Dialog({ title, children, onClose, actions, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything is painted, and before the dialog leaves the document: the next key goes to the right place.
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'is-wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard must reach it */}
      <div class="dialog-body" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        {actions}
      </footer>
    </dialog>
  )
}
