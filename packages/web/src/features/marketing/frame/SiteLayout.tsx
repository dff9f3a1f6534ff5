import '../../../css/site/site.css'
import displayFont from '../../../../fonts/display-marketing.woff2?url'
import textFont from '../../../../fonts/text-marketing.woff2?url'
import { Outlet } from 'react-router'
import { shell } from '#messages/shell.ts'
import { preloadFonts } from '../../../app/shell/preload-fonts.ts'
import { GlobeGround } from './GlobeGround.tsx'
import { SiteFooter } from './SiteFooter.tsx'
import { SiteHeader } from './SiteHeader.tsx'

export { pageTitle as meta } from '../../../app/page-title.ts'
export const links = () => preloadFonts(displayFont, textFont)

/**
 * Frame of public pages served without application script: skip link, header and footer. A page renders its `<main
 * id="main">` inside, and its scripts with PageScript.
 */
export default function SiteLayout() {
  return (
    <div className="pt-22 max-md:pt-16">
      <a className="button button-primary skip-link" href="#main">
        {shell.skipToContent}
      </a>
      <GlobeGround />
      <SiteHeader />
      <Outlet />
      <SiteFooter />
    </div>
  )
}
