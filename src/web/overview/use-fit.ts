import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

const smallestPx = 7
const steps = 8
/** From all that there is to the names of groups alone; a style sheet hides more of each. */
const densities = [0, 1, 2, 3] as const

/**
 * Sets the font size, which everything in the element is measured in, so that it fills its screen and never more. Where letters would
 * get too small, less is shown: `data-density` says how much.
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

/** By bisection; the smallest where none fits. */
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
