import { useContext } from 'react'
import { StaticPage } from '../../../app/static-page.ts'

/**
 * One of the small scripts of the public pages, by its file in ../scripts: 'site' where a page has a waitlist or lines
 * that draw themselves. The build puts the name of the built file in its place.
 */
export function PageScript({ name }: { name: string }) {
  return useContext(StaticPage) && <script type="module" src={`/scripts/${name}.js`} />
}
