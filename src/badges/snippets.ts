import { escapeMarkup } from '../text/escape-markup.ts'

/** Snippets for a README: Markdown, and HTML with an image per colour scheme. */
type Snippets = { readonly markdown: string; readonly html: string }

/** `url` is the badge's URL without a theme; `link` is the target of a click. */
export function badgeSnippets({ url, alt, link }: { readonly url: string; readonly alt: string; readonly link: string | null }): Snippets {
  const image = `![${escapeMarkdown(alt)}](${url})`
  const picture = [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${escapeMarkup(themed(url, 'dark'))}">`,
    `  <source media="(prefers-color-scheme: light)" srcset="${escapeMarkup(themed(url, 'light'))}">`,
    `  <img alt="${escapeMarkup(alt)}" src="${escapeMarkup(url)}">`,
    '</picture>',
  ].join('\n')
  return {
    markdown: link ? `[${image}](${link})` : image,
    html: link ? `<a href="${escapeMarkup(link)}">\n${picture}\n</a>` : picture,
  }
}

function themed(url: string, theme: 'light' | 'dark'): string {
  const address = new URL(url)
  address.searchParams.set('theme', theme)
  return address.href
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\[\]()`*_<>!]/g, '\\$&')
}
