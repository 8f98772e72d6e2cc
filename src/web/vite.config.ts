import { defineConfig } from 'vite'

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: {
      polyfill: false,
      // Only by the page itself, whose paths the server puts below its base path.
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    assetsInlineLimit: 0,
  },
})
