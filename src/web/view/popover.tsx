import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

type PopoverProps = {
  readonly label: string
  /** The text of the button. */
  readonly value: string
  /** In pixels, on a wide enough screen. */
  readonly width: number
  readonly children: (close: () => void) => ComponentChildren
}

const margin = 12

/** A labelled button that opens a panel above the page, so that nothing below moves. Escape or a click outside closes it. */
export function Popover({ label, value, width, children }: PopoverProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const place = (event: Pick<ToggleEvent, 'newState'>) => {
    if (event.newState === 'open' && button.current !== null && panel.current !== null) placeBelow(button.current, panel.current, width)
  }
  return (
    <div class="field">
      <span id={`${id}-label`} class="field-label">
        {label}
      </span>
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        class="popover-button"
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-labelledby={`${id}-label ${id}-button`}
      >
        {value}
      </button>
      <div ref={panel} id={id} class="popover" popover="auto" role="dialog" aria-label={label} onBeforeToggle={place}>
        {children(() => panel.current?.hidePopover())}
      </div>
    </div>
  )
}

function placeBelow(button: HTMLElement, panel: HTMLElement, width: number): void {
  const { left, bottom } = button.getBoundingClientRect()
  const available = document.documentElement.clientWidth - 2 * margin
  const fitting = Math.min(width, available)
  panel.style.width = `${fitting}px`
  panel.style.left = `${Math.max(margin, Math.min(left, margin + available - fitting))}px`
  panel.style.top = `${bottom + scrollY + 4}px`
}
