import { menu } from '#messages/shell.ts'
import { PageTabs } from '../../../ui/navigation/PageTabs.tsx'
import { paths } from '../../paths.ts'
import { findTabs } from './tabs.ts'

/** Tabs between the pages of one item of the side navigation; nothing on a page without tabs. */
export function SectionTabs({ pathname }: { pathname: string }) {
  const section = findTabs(pathname)
  if (!section) return null
  return (
    <PageTabs label={menu[section.root]} tabs={section.tabs.map((name) => ({ to: paths[name], text: menu[name] }))} />
  )
}
