import '../../css/app.css'
import { Outlet } from 'react-router'
import displayFont from '../../../fonts/display.woff2?url'
import textFont from '../../../fonts/text.woff2?url'
import { preloadFonts } from './preload-fonts.ts'

export { appMeta as meta } from '../page-title.ts'
export const links = () => preloadFonts(textFont, displayFont)

/** Layout of pages outside the app's frame: login, the gallery, an address without a page. */
export default function PlainLayout() {
  return <Outlet />
}
