import { useEffect } from 'preact/hooks'

/** Shows the number of failing checks in the icon of the tab, while the view is shown. */
export function useFailingIcon(failing: number): void {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === null || failing === 0) return
    const before = icon.href
    const drawn = URL.createObjectURL(new Blob([failingIcon(failing)], { type: 'image/svg+xml' }))
    icon.href = drawn
    return () => {
      icon.href = before
      URL.revokeObjectURL(drawn)
    }
  }, [failing])
}

/** White on red; three characters at most. */
function failingIcon(failing: number): string {
  const text = failing > 99 ? '99+' : String(failing)
  const size = [24, 20, 15][text.length - 1] ?? 15
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#b3370a"/><text x="16" y="${16 + size * 0.36}" font-family="system-ui, sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`
}
