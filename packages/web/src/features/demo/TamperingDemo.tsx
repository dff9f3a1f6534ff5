import { useState } from 'react'
import { demo } from '#messages/site/demo.ts'
import { paths } from '../../app/paths.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { DemoChoice } from './DemoChoice.tsx'

const confirmed = '404.00'
const amounts = [confirmed, '505.00', '9090.00'] as const

/** Demo of dynamic linking: a confirmation is valid for one amount only. */
export function TamperingDemo() {
  const [sent, setSent] = useState<string>('9090.00')
  const [confirmedText, sentText] = [formatMoney(confirmed, 'USD'), formatMoney(sent, 'USD')]
  const isSame = sent === confirmed
  return (
    <>
      <p className="muted">{demo.secure.lead(confirmedText)}</p>
      <div className="demo-body flex-1 mt-5 sm:max-xl:mt-0">
        <DemoChoice
          label={demo.secure.label}
          choices={amounts.map((value) => ({ value, label: formatMoney(value, 'USD') }))}
          value={sent}
          onChange={setSent}
        />
        <div className={isSame ? 'note small' : 'note note-error small'} role="status">
          <Icon name={isSame ? 'check' : 'info'} />
          <span>
            <b>{isSame ? demo.secure.accepted : demo.secure.refused}</b>{' '}
            {isSame ? demo.secure.acceptedText(sentText) : demo.secure.refusedText(confirmedText, sentText)}
          </span>
        </div>
      </div>
      <p className="demo-foot flex-wrap mt-3 [&_.button-ghost]:-ms-3.25 row">
        <a className="button button-ghost" href={`${paths.security}#account`}>
          {demo.secure.more}
          <Icon name="next" />
        </a>
      </p>
    </>
  )
}
