import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Imports between scripts are relative, so they also work below a base path. Only the HTML lists scripts to preload.
    modulePreload: { polyfill: false, resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []) },
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', 'reference.html'].map((name) => fileURLToPath(new URL(name, import.meta.url))) },
  },
})
