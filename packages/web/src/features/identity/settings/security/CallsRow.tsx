import { useNavigate } from 'react-router'
import { calls as texts } from '#messages/identity/calls.ts'
import { paths } from '../../../../app/paths.ts'
import { ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { settingIcons } from '../setting-icons.ts'

/** Leads to the page that says whether Tern is calling. */
export function CallsRow() {
  const navigate = useNavigate()
  return (
    <ValueRow
      icon={settingIcons.phone}
      title={texts.settingTitle}
      text={texts.settingText}
      value={texts.settingLink}
      onPress={() => void navigate(paths.calls)}
    />
  )
}
