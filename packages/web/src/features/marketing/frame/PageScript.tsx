import { useContext } from 'react'
import { StaticPage } from '../../../app/static-page.ts'

/**
 * Script tag for a file in `../scripts`; nothing in the running app. 'site' serves pages that only animate lines. The
 * build inserts the name of the bundled file.
 */
export function PageScript({ name }: { name: string }) {
  return useContext(StaticPage) && <script type="module" src={`/scripts/${name}.js`} />
}
