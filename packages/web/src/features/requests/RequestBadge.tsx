import type { RequestState } from '@tern/contract/requests/requests'
import { receive } from '#messages/transfers/requests.ts'
import { EyeIcon } from '../../ui/icon/EyeIcon.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { stateIcons } from './request-state.ts'

export function RequestBadge({ state }: { state: RequestState }) {
  const sign = stateIcons[state]
  return (
    <span className={`request-state request-${state}`}>
      {sign === 'ring' || sign === 'half' ? (
        <span className={`request-${sign}`} />
      ) : sign === 'eye' || sign === 'hidden' ? (
        <EyeIcon name={sign} />
      ) : (
        <Icon name={sign} />
      )}
      {receive.states[state]}
    </span>
  )
}
