import type { PublicUser } from '@tern/contract/identity'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { recipient as texts } from '#messages/transfers/recipient.ts'
import { useAfterPress } from '../use-after-press.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { Field } from '../../ui/forms/Field.tsx'
import { NamedItem } from '../../ui/layout/NamedItem.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ChosenRecipient, shortenAddress } from './ChosenRecipient.tsx'
import { useRecipientList } from './use-recipient-list.ts'

interface RecipientFieldProps {
  userId: number
  text: string
  recipient: PublicUser | undefined
  /** Currency that the recipient receives. */
  currency: string | undefined
  error: string | undefined
  /** Label of the field, and its hint before a choice; by default, those of the send form. */
  label?: string | undefined
  hint?: string | undefined
  onTextChange: (text: string) => void
  onChoose: (user: PublicUser) => void
  /** Runs on blur, and on Enter without a marked option. */
  onLeave: () => void
}

/** Field for the recipient: a favorite, a recent payee, or a search while typing. Shows the chosen recipient. */
export function RecipientField(props: RecipientFieldProps) {
  const { userId, text, recipient, error, onTextChange, onChoose, onLeave } = props
  const listId = useId()
  const afterPress = useAfterPress()
  const { input, change, isShown, setIsChanging } = useChoice(recipient)
  const list = useRecipientList({ userId, text, recipient, onChoose, onLeave })
  const { options } = list
  const { label = texts.recipient, hint = texts.recipientHint } = props
  const statusText = list.isShort ? texts.typeMore : list.isEmpty ? texts.noMatch : list.refusal
  return (
    <Field id="send-recipient" label={label} hint={recipient ? undefined : hint} error={error}>
      {(control) => (
        <>
          <div className={classNames('input-box', !isShown && 'visually-hidden')}>
            <Icon name="search" />
            <input
              className="input"
              {...control}
              {...comboboxAttributes(list, listId)}
              ref={input}
              tabIndex={isShown ? undefined : -1}
              value={text}
              onFocus={() => {
                setIsChanging(recipient !== undefined)
                if (text.trim() === '') list.open()
              }}
              onChange={(event) => {
                setIsChanging(false)
                list.open()
                onTextChange(event.target.value)
              }}
              onKeyDown={list.onKeyDown}
              // Closing the list moves elements that may be under the pointer.
              onBlur={() =>
                afterPress(() => {
                  setIsChanging(false)
                  list.closeList()
                })
              }
            />
          </div>
          <p className="visually-hidden" role="status">
            {statusText}
            {options.length > 0 && texts.usersFound(options.length)}
          </p>
          <Options {...{ listId, list, query: text.trim(), isSending: !props.label }} />
          {statusText && (
            <p className="small mt-2" aria-hidden="true">
              {statusText}
            </p>
          )}
          {recipient && !isShown && (
            <ChosenRecipient
              user={recipient}
              currency={props.currency ?? recipient.base_currency}
              change={change}
              input={input}
            />
          )}
        </>
      )}
    </Field>
  )
}

interface OptionsProps {
  listId: string
  list: ReturnType<typeof useRecipientList>
  query: string
  /** True if the chosen person is paid; false if they are asked for money. */
  isSending: boolean
}

function Options({ listId, list, query, isSending }: OptionsProps) {
  const { groups, options, active, isKnown } = list
  if (groups.length === 0) return null
  return (
    <div
      className="option-list"
      id={listId}
      role="listbox"
      aria-label={isKnown ? texts.recipient : texts.registeredUsers}
    >
      {groups.map(({ title, people }) => (
        <div key={title} role="group" aria-label={title}>
          {isKnown && (
            <p className="option-heading" aria-hidden="true">
              {title}
            </p>
          )}
          {people.map((user) => {
            const index = options.indexOf(user)
            return (
              <Option
                key={user.id}
                id={`${listId}-${index}`}
                isActive={index === active}
                onChoose={() => list.choose(user)}
                {...{ user, query }}
                isRecent={isKnown && isSending}
              />
            )
          })}
        </div>
      ))}
    </div>
  )
}

interface OptionProps {
  id: string
  user: PublicUser
  query: string
  isActive: boolean
  isRecent: boolean
  onChoose: () => void
}

function Option({ id, user, query, isActive, isRecent, onChoose }: OptionProps) {
  const accountText = <MatchedText text={user.email ?? user.username} query={query} />
  return (
    // The field keeps the focus, and its keys reach the options.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      className="option"
      id={id}
      role="option"
      aria-selected={isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Avatar name={user.name ?? user.username} />
      {user.name ? (
        <NamedItem name={<MatchedText text={user.name} query={query} />} details={accountText} />
      ) : (
        <NamedItem name={accountText} />
      )}
      <span className="small muted">
        {user.wallet_address && <span className="wide-only">{shortenAddress(user.wallet_address, 8)} · </span>}
        {isRecent ? texts.sendToAgain : user.base_currency}
      </span>
    </div>
  )
}

/** Text, highlighted if its beginning matches the typed text. */
function MatchedText({ text, query }: { text: string; query: string }) {
  const isMarked = query !== '' && text.toLowerCase().startsWith(query.toLowerCase())
  return (
    <span translate="no">
      {isMarked && <mark>{text.slice(0, query.length)}</mark>}
      {isMarked ? text.slice(query.length) : text}
    </span>
  )
}

/** Attributes that make an input the combobox of a list. */
const comboboxAttributes = ({ options, active }: ReturnType<typeof useRecipientList>, listId: string) =>
  ({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': options.length > 0,
    'aria-controls': options.length > 0 ? listId : undefined,
    'aria-activedescendant': options[active] ? `${listId}-${active}` : undefined,
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
  }) as const

/**
 * Whether the field shows its input or the chosen person. A found person replaces the input, and the focus moves to the
 * button that shows the input again.
 */
function useChoice(recipient: PublicUser | undefined) {
  const input = useRef<HTMLInputElement>(null)
  const change = useRef<HTMLButtonElement>(null)
  const [isChanging, setIsChanging] = useState(false)
  const isShown = !recipient || isChanging
  useLayoutEffect(() => {
    if (!isShown && document.activeElement === input.current) change.current?.focus()
  }, [isShown])
  return { input, change, isShown, setIsChanging }
}
