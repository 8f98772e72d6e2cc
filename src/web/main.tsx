import { render } from 'preact'
import { PageRoot } from './page.tsx'
import { takeCode } from './state/credentials.ts'
import { startTheme } from './state/theme.ts'

startTheme()

const root = document.getElementById('page')
if (root !== null) render(<PageRoot code={takeCode()} />, root)
