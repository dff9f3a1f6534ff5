import '../../css/app.css'
import { Outlet } from 'react-router'
import displayFont from '../../../fonts/display.woff2?url'
import textFont from '../../../fonts/text.woff2?url'
import { preloadFonts } from './preload-fonts.ts'

export { appMeta as meta } from '../page-title.ts'
export const links = () => preloadFonts(textFont, displayFont)

/** Layout of pages outside the app's frame, such as login, payment links and the gallery. */
export default function PlainLayout() {
  return <Outlet />
}
