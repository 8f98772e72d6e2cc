import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

const smallestPx = 7
const steps = 8
/** From all details to only the names of groups; the style sheet hides more at each density. */
const densities = [0, 1, 2, 3] as const

/**
 * Sets the font size, on which all sizes in the element depend, so that the element fills the screen without overflow. If text would become
 * too small, `data-density` reduces the details.
 */
export function useFit(element: RefObject<HTMLElement | null>, content: string): void {
  useLayoutEffect(() => {
    const fit = () => element.current && fitToScreen(element.current)
    fit()
    window.addEventListener('resize', fit)
    return () => window.removeEventListener('resize', fit)
  }, [content])
}

function fitToScreen(element: HTMLElement): void {
  const largest = Math.max(14, Math.min(innerWidth / 34, innerHeight / 18))
  const readable = Math.max(smallestPx, largest * 0.45)
  for (const density of densities) {
    element.dataset.density = String(density)
    const isLast = density === densities.at(-1)
    const size = largestFitting(element, isLast ? smallestPx : readable, largest)
    element.style.fontSize = `${size}px`
    if (fits(element)) return
  }
}

/** Bisects the font size; returns the smallest if none fits. */
function largestFitting(element: HTMLElement, smallest: number, largest: number): number {
  const isFitting = (size: number) => {
    element.style.fontSize = `${size}px`
    return fits(element)
  }
  if (isFitting(largest)) return largest
  let [low, high] = [smallest, largest]
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2
    if (isFitting(middle)) low = middle
    else high = middle
  }
  return low
}

function fits(element: HTMLElement): boolean {
  return element.scrollHeight <= element.clientHeight && element.scrollWidth <= element.clientWidth
}
