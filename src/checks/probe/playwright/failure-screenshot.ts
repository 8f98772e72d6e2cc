import type { Page } from '@playwright/test'

export type ScreenshotLimits = {
  /** 0 for no screenshots. */
  readonly screenshotBytes: number
  /** Texts to hide in screenshots. */
  readonly secrets: readonly string[]
}

type DocumentNode = {
  readonly childNodes: readonly DocumentNode[]
  readonly shadowRoot?: DocumentNode | null
  nodeValue?: string | null
  value?: unknown
  placeholder?: unknown
}

/**
 * A redacted JPEG of a page, in the best quality that fits; null if none fits.
 * Its source is written into the process that runs the script, so it must be self-contained.
 */
export async function failureScreenshot(
  page: Page,
  { screenshotBytes, secrets }: ScreenshotLimits,
  take: Page['screenshot'] = (options) => page.screenshot(options),
): Promise<Buffer | null> {
  /** Runs in the page: replaces secrets in the texts and fields of a document. */
  function hideSecrets(texts: readonly string[]) {
    const patterns = texts.map((secret) => new RegExp(secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), secret.length < 8 ? 'gu' : 'giu'))
    const hidden = (text: string) => patterns.reduce((redacted, pattern) => redacted.replace(pattern, '•••'), text)
    const visit = (node: DocumentNode) => {
      for (const name of ['nodeValue', 'value', 'placeholder'] as const) {
        const text = node[name]
        if (typeof text === 'string' && hidden(text) !== text) node[name] = hidden(text)
      }
      for (const child of node.childNodes) visit(child)
      if (node.shadowRoot) visit(node.shadowRoot)
    }
    visit((globalThis as unknown as { readonly document: DocumentNode }).document)
  }

  for (const frame of page.frames()) await frame.evaluate(hideSecrets, secrets)
  for (const quality of [80, 50, 25]) {
    const picture = await take({ type: 'jpeg', quality, scale: 'css', animations: 'disabled' })
    if (picture.length <= screenshotBytes) return picture
  }
  return null
}
