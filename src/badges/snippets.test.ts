import { describe, expect, test } from 'vitest'
import { badgeSnippets } from './snippets.ts'

const url = 'https://status.example.com/v1/badges/checks/home?style=plastic'

describe('badge snippets', () => {
  test('have one image in Markdown', () => {
    expect(badgeSnippets({ url, alt: 'Homepage', link: null }).markdown).toBe(`![Homepage](${url})`)
  })

  test('have a picture for dark and light themes in HTML, with a fallback image', () => {
    expect(badgeSnippets({ url, alt: 'Homepage', link: null }).html.split('\n')).toEqual([
      '<picture>',
      '  <source media="(prefers-color-scheme: dark)" srcset="https://status.example.com/v1/badges/checks/home?style=plastic&#38;theme=dark">',
      '  <source media="(prefers-color-scheme: light)" srcset="https://status.example.com/v1/badges/checks/home?style=plastic&#38;theme=light">',
      '  <img alt="Homepage" src="https://status.example.com/v1/badges/checks/home?style=plastic">',
      '</picture>',
    ])
  })

  test('are wrapped in a link if one is given', () => {
    const { markdown, html } = badgeSnippets({ url, alt: 'Homepage', link: 'https://status.example.com/' })
    expect(markdown).toBe(`[![Homepage](${url})](https://status.example.com/)`)
    expect(html).toMatch(/^<a href="https:\/\/status\.example\.com\/">\n<picture>.*<\/picture>\n<\/a>$/s)
  })

  test('escape markup in a name', () => {
    const { markdown, html } = badgeSnippets({ url, alt: '](x) <b>"&', link: null })
    expect(markdown).toBe(`![\\]\\(x\\) \\<b\\>"&](${url})`)
    expect(html).toContain('alt="](x) &#60;b&#62;&#34;&#38;"')
  })
})
