import { expect, type Page, test } from '@playwright/test'
import { updateProfile } from '../../packages/contract/src/identity.ts'
import { transactionsOfUser } from '../../packages/contract/src/transactions.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { buildLinkPattern, waitForMail, waitForMailedCode, loadMails } from '../mailbox.ts'
import { signInThroughApi, logIn, productUrl, settle, signIn, addAuthenticator } from '../pages.ts'
import { createCodeGenerator, callWithConfirmation, dialog, password, confirmByMail } from '../step-up.ts'
import { delayCalls, clickSendNow, setUndo } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// The browser logs these refusals: step-up requirements, wrong codes, taken names.
const refusals = /status of (40[139]|410|422)/

const verifyLink = buildLinkPattern('verify-email')

/** Sets up an authenticator app on /settings; returns its code generator and the recovery codes. */
async function setUpAuthenticatorApp(page: Page, person: TestPerson) {
  await page.goto('/settings')
  await page.getByRole('switch', { name: 'Two-step verification' }).click({ force: true })
  await expect(dialog(page)).toContainText('Set up an authenticator app')
  await confirmByMail(page, person)
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
  const code = createCodeGenerator(secret)
  await page.getByLabel('Code from the app').fill('000000')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByLabel('Code from the app')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Code from the app')).toBeFocused()
  await page.getByLabel('Code from the app').fill(await code())
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeFocused()
  const recovery = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()
  return { code, recovery }
}

async function goToReview(page: Page, recipient: TestPerson, amount: string): Promise<void> {
  await page.goto('/send')
  await page.getByRole('combobox', { name: 'Recipient' }).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await page.getByLabel('Amount').fill(amount)
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeVisible()
  // A first payment of this size to a new account carries a warning.
  await page.getByRole('checkbox', { name: /^I have read this/ }).check()
}

const countSends = async (person: TestPerson) =>
  (await person.call(transactionsOfUser, { params: { userId: String(person.id) }, query: { type: 'SEND' } })).total

test('a new username appears at once, errors show at their field, the number can be copied', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const [person, otherUser] = await Promise.all([enroll(productUrl(), 'pia', null), enroll(productUrl(), 'ole', null)])
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Profile' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible()
  const username = page.getByLabel('Username')
  const saveButton = page.getByRole('button', { name: 'Save Changes' })
  for (const invalidUsername of [otherUser.username, 'x', 'två ord']) {
    await username.fill(invalidUsername)
    await saveButton.click()
    await expect(username).toHaveAttribute('aria-invalid', 'true')
    await expect(username).toBeFocused()
    await expect(username).toHaveValue(invalidUsername)
  }
  await expectAccessible(page)
  const chosenUsername = `pia.${person.id}`
  await username.fill(chosenUsername)
  await page.getByLabel('Full name').fill('Pia Lund')
  await saveButton.click()
  await expect(dialog(page)).toContainText(chosenUsername)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not confirmed. Nothing changed.')).toBeVisible()
  await expect(username).toHaveValue(chosenUsername)
  await saveButton.click()
  await confirmByMail(page, person)
  await expect(page.getByText('Your changes were saved.')).toBeVisible()
  await expect(page.getByRole('banner').getByText(chosenUsername).first()).toBeVisible()
  await page.reload()
  await expect(username).toHaveValue(chosenUsername)
  await expect(page.getByLabel('Full name')).toHaveValue('Pia Lund')

  // The name is changed on another device, and this one receives it after rendering the form.
  const changedUsername = `${chosenUsername}.new`
  await callWithConfirmation(person, (confirmation) =>
    person.call(updateProfile, {
      params: { id: String(person.id) },
      body: { username: changedUsername },
      confirmation,
    }),
  )
  await page.reload()
  await expect(username).toHaveValue(changedUsername)
  await page.getByLabel('Full name').fill('Pia Berg')
  await saveButton.click()
  await expect(page.getByText('Your changes were saved.')).toBeVisible()
  await expect(page.getByRole('banner').getByText(changedUsername).first()).toBeVisible()

  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByText('User number copied!')).toBeVisible()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(String(person.id))
  expect(pageErrors).toEqual([])
})

test('an account moves to another address, confirmed by password and mailed code, then by the link', async ({
  page,
}) => {
  const person = await enroll(productUrl(), 'mona', 'United States')
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  await page.goto('/profile')
  await expect(page.getByText('Not confirmed', { exact: true })).toBeVisible()
  await expect(page.getByText('We checked it against your document')).toBeVisible()
  const links = async () => (await loadMails(person.email)).flatMap(({ text }) => verifyLink.exec(text)?.[0] ?? [])
  await expect.poll(async () => (await links()).length, { timeout: 120_000 }).toBe(1)
  await page.getByRole('button', { name: 'Send confirmation link' }).click()
  await expect(page.getByText(`We emailed a link to ${person.email}.`)).toBeVisible()
  await expect.poll(async () => (await links()).length, { timeout: 120_000 }).toBe(2)
  await page.goto((await links())[0] ?? '')
  await expect(page.getByText('Your email has been successfully verified!')).toBeVisible()
  await page.goto('/profile')
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()

  const nextEmail = `next.${person.email}`
  await page.getByRole('button', { name: 'Change email' }).click()
  const field = page.getByLabel('New email address')
  await field.fill('nonsense')
  await page.getByRole('button', { name: 'Change email' }).click()
  await expect(field).toBeFocused()
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await field.fill(nextEmail)
  await page.getByRole('button', { name: 'Change email' }).click()

  await expect(dialog(page)).toContainText(nextEmail)
  await expect(password(page)).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not confirmed. Nothing changed.')).toBeVisible()
  await expect(field).toHaveValue(nextEmail)
  expect(await loadMails(nextEmail)).toEqual([])

  await page.getByRole('button', { name: 'Change email' }).click()
  await password(page).fill('not the password')
  await page.getByRole('button', { name: 'Send me a code' }).click()
  const code = page.getByLabel('Code from the email')
  await expect(code).toBeFocused()
  const confirm = page.getByRole('button', { name: 'Confirm', exact: true })
  await confirm.click()
  await expect(page.getByText('Enter the code', { exact: true })).toBeVisible()
  const releaseNewCode = await delayCalls(page, '**/api/auth/step-up/*/code')
  await page.getByRole('button', { name: 'Send another code' }).click()
  await expect(confirm, 'the code before is about to be replaced').toBeDisabled()
  releaseNewCode()
  await expect(confirm).toBeEnabled()
  await code.fill('000000')
  await confirm.click()
  await expect(page.locator('[aria-invalid]').first()).toBeFocused()
  await expect(page.getByText("That password isn't right.")).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel', exact: true }).last().click()
  await expect(dialog(page)).toBeHidden()

  // An expired confirmation restarts in the same dialog.
  await page.route('**/api/auth/step-up/*/code', (route) =>
    route.fulfill({
      status: 410,
      json: {
        type: 'about:blank',
        title: 'Gone',
        status: 410,
        code: 'step_up_invalid',
        detail: 'Expired.',
        requestId: 'a',
      },
    }),
  )
  await page.getByRole('button', { name: 'Change email' }).click()
  await password(page).fill(person.password)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await expect(page.getByText('Expired.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Start again' })).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.unroute('**/api/auth/step-up/*/code')
  await page.getByRole('button', { name: 'Start again' }).click()
  await expect(password(page)).toHaveValue('')
  // Selects by attribute, since the open dialog hides the closing one from role queries.
  await expect(page.locator('[role=dialog]:not([popover])'), 'the expired one is gone').toHaveCount(1)
  await confirmByMail(page, person)
  const pending = page.getByText(new RegExp(`We emailed a link to ${nextEmail}. Open it`))
  await expect(pending).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  // Once the change is canceled, the mailed link has no effect and another change is possible.
  const cancelLink = await waitForMail(nextEmail, verifyLink)
  await page.getByRole('button', { name: 'Cancel change' }).click()
  await expect(page.getByText(`Canceled. Your email address is still ${person.email}.`)).toBeVisible()
  await expect(pending).toHaveCount(0)
  await page.reload()
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(pending).toHaveCount(0)
  await page.goto(cancelLink)
  await expect(page.getByText('Email verification failed. The link may have expired.')).toBeVisible()
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Change email' }).click()
  await field.fill(nextEmail)
  await page.getByRole('button', { name: 'Change email' }).click()
  await confirmByMail(page, person)
  await expect(pending).toBeVisible()
  await expect.poll(() => waitForMail(nextEmail, verifyLink), { timeout: 120_000 }).not.toBe(cancelLink)
  await page.goto(await waitForMail(nextEmail, verifyLink))
  await expect(page.getByText('Your email has been successfully verified!')).toBeVisible()
  await page.goto('/profile')
  await expect(page.getByText(nextEmail)).toBeVisible()
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()
  await expect(page.getByText(/Open it to move your account/)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('an authenticator app is set up, logs in and confirms; its recovery codes are shown once', async ({ page }) => {
  const [person, payee] = await Promise.all([
    enroll(productUrl(), 'timo', 'United States'),
    enroll(productUrl(), 'vera', 'Germany'),
  ])
  await setUndo(person, 1800, 'everybody')
  await fund(person, 600_00)
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  const { code, recovery } = await setUpAuthenticatorApp(page, person)
  expect(new Set(recovery).size).toBe(10)
  await settle(page)
  await expectAccessible(page)
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const file = await (await downloadEvent).createReadStream()
  let downloadedCodes = ''
  for await (const chunk of file) downloadedCodes += String(chunk)
  for (const recoveryCode of recovery) expect(downloadedCodes).toContain(recoveryCode)
  await page.getByRole('button', { name: "I've saved them" }).click()
  await expect(page.getByRole('button', { name: /^Recovery codes/ })).toBeFocused()
  await expect(page.getByText('10 left')).toBeVisible()
  for (const recoveryCode of recovery) await expect(page.getByText(recoveryCode)).toHaveCount(0)

  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login/)
  await logIn(page, person)
  await expect(page.getByText('Enter the code your authenticator app shows for Tern.')).toBeVisible()
  // The sixth digit submits the form.
  await page.locator('input[name="code"]').fill(await code())
  await expect(page).toHaveURL(/\/dashboard/)

  await goToReview(page, payee, '250.00')
  const send = page.getByRole('button', { name: 'Send Money' })
  await send.click()
  await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toContainText(payee.username)
  await expect(dialog(page)).toContainText(/Total to pay\s*\$25[0-9]\.\d\d/)
  await expect(dialog(page)).toContainText('your payments since you last confirmed add up to a larger amount')
  await expect(dialog(page)).toContainText('$250.00')
  await expect(page.getByRole('button', { name: 'Processing...', includeHidden: true })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Not confirmed. Nothing was sent.')).toBeVisible()
  expect(await countSends(person)).toBe(0)
  expect((await person.wallet()).fiat_balance).toBe('600.00')
  await page.reload()
  await expect(page.getByText(/We do not know yet/)).toHaveCount(0)

  await goToReview(page, payee, '250.00')
  await send.click()
  await password(page).fill(person.password)
  await page.getByLabel('Code from your authenticator app').fill(await code())
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await clickSendNow(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(await countSends(person)).toBe(1)
  expect((await person.wallet()).fiat_balance).toBe('347.50')
  expect(pageErrors).toEqual([])
})

test('a passkey is added, named, confirms a payment, and is removed', async ({ page, context }) => {
  const [person, payee] = await Promise.all([
    enroll(productUrl(), 'kim', 'United States'),
    enroll(productUrl(), 'nils', 'Germany'),
  ])
  await setUndo(person, 1800, 'everybody')
  await fund(person, 600_00)
  await addAuthenticator(context, page)
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  await page.goto('/settings')
  await page.getByRole('button', { name: /^Passkeys.*None yet$/ }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('My phone')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog(page)).toContainText('Add a passkey')
  await confirmByMail(page, person)
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeFocused()
  await page.getByRole('button', { name: "I've saved them" }).click()
  await page.getByRole('button', { name: 'Rename My phone' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Work laptop')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Work laptop')).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await goToReview(page, payee, '250.00')
  await page.getByRole('button', { name: 'Send Money' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Confirm with a passkey' })).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not confirmed. Nothing was sent.')).toBeVisible()
  expect(await countSends(person)).toBe(0)
  await page.getByRole('button', { name: 'Send Money' }).click()
  await dialog(page).getByRole('button', { name: 'Confirm with a passkey' }).click()
  await clickSendNow(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(await countSends(person)).toBe(1)
  expect((await person.wallet()).fiat_balance).toBe('347.50')

  await page.goto('/settings')
  await page.getByRole('button', { name: /^Passkeys.*1 passkey$/ }).click()
  await expect(page.getByText(/Last used: Today/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Remove Work laptop' }).click()
  await dialog(page).getByRole('button', { name: 'Confirm with a passkey' }).click()
  await expect(page.getByText('Passkey removed.')).toBeVisible()
  await expect(page.getByText('No passkeys yet.')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test("this wasn't me: nothing is sent, every device is logged out, and the mail leads to a new password", async ({
  page,
}) => {
  const [person, payee] = await Promise.all([
    enroll(productUrl(), 'ana', 'United States'),
    enroll(productUrl(), 'otto', 'Germany'),
  ])
  await fund(person, 600_00)
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  await goToReview(page, payee, '250.00')
  await page.getByRole('button', { name: 'Send Money' }).click()
  await expect(dialog(page)).toContainText('1 USD = 0.9300 EUR')
  await dialog(page).getByRole('button', { name: "This wasn't me" }).click()
  const confirmDialog = page.getByRole('dialog', { name: "This wasn't me" })
  await expect(confirmDialog.getByRole('button', { name: 'Log out everywhere' })).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await confirmDialog.getByRole('button', { name: 'It was me, go back' }).click()
  await expect(password(page)).toBeFocused()
  await dialog(page).getByRole('button', { name: "This wasn't me" }).click()
  await confirmDialog.getByRole('button', { name: 'Log out everywhere' }).click()
  const doneDialog = page.getByRole('dialog', { name: 'Every device is logged out' })
  await expect(doneDialog.getByRole('button', { name: 'Go to login' })).toBeFocused()
  await expect(page).toHaveURL(/\/login/)
  await settle(page)
  await expectAccessible(page)
  await doneDialog.getByRole('button', { name: 'Go to login' }).click()
  await expect(doneDialog).toBeHidden()
  await signIn(page, person)
  await expect(page.getByRole('main')).toContainText('$600.00')
  expect((await payee.wallet()).fiat_balance).toBe('0.00')

  await page.goto(await waitForMail(person.email, buildLinkPattern('not-me')))
  await page.getByRole('button', { name: "This wasn't me" }).click()
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('other devices are listed and signed out, and a new password keeps only this one', async ({ page, browser }) => {
  const person = await enroll(productUrl(), 'dora', 'United States')
  const pageErrors = collectPageErrors(page, refusals)
  await signInThroughApi(page, person)
  await page.goto('/settings/devices')
  // A second login of this browser, listed under the same device.
  await signInThroughApi(page, person)
  await page.reload()
  const ownSession = page.getByRole('listitem').filter({ hasText: 'This device' })
  await expect(ownSession).toContainText('This computer')
  await ownSession.getByText('2 logins').click()
  await ownSession.getByRole('button', { name: /^Log out .* logged in Today/ }).click()
  await page
    .getByRole('dialog', { name: /^Log out / })
    .getByRole('button', { name: 'Log out', exact: true })
    .click()
  await confirmByMail(page, person)
  await expect(page.getByText('Logged out.')).toBeVisible()
  await expect(page.getByText('2 logins')).toHaveCount(0)
  await page.getByRole('button', { name: 'Log out all other devices' }).click()
  const confirmDialog = page.getByRole('dialog', { name: 'Log out all other devices?' })
  await settle(page)
  await expectAccessible(page)
  await confirmDialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Log out all other devices' }).click()
  await confirmDialog.getByRole('button', { name: 'Log out', exact: true }).click()
  await expect(dialog(page)).toContainText('Log out all other devices')
  await confirmByMail(page, person)
  await expect(page.getByText('Logged out.').last()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Log out all other devices' })).toHaveCount(0)
  await expect(page.getByText('This device')).toBeVisible()

  const openOtherDevice = async (userAgent: string) => {
    const devicePage = await (await browser.newContext({ userAgent })).newPage()
    await signInThroughApi(devicePage, person)
    await devicePage.goto('/dashboard')
    await expect(devicePage.getByRole('heading', { level: 1 })).toBeVisible()
    return devicePage
  }
  const firefox = await openOtherDevice(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  )
  await page.reload()
  await page.getByRole('button', { name: 'Log out Firefox on Windows' }).click()
  await page
    .getByRole('dialog', { name: 'Log out Firefox on Windows?' })
    .getByRole('button', { name: 'Log out', exact: true })
    .click()
  await expect(dialog(page)).toContainText('Firefox on Windows')
  await confirmByMail(page, person)
  await expect(page.getByText('Logged out.')).toBeVisible()
  await expect(page.getByText('Firefox on Windows')).toHaveCount(0)
  await firefox.reload()
  await expect(firefox).toHaveURL(/\/login/)

  const phone = await openOtherDevice(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  )
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: /^Password/ }).click()
  const field = page.getByLabel('New password')
  await field.fill('short')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await field.fill('another long pass phrase')
  await page.getByRole('button', { name: 'Change password' }).click()
  await confirmByMail(page, person)
  await expect(page.getByText('Password changed. Your other devices are logged out.')).toBeVisible()
  await phone.reload()
  await expect(phone).toHaveURL(/\/login/)
  await logIn(phone, { ...person, password: 'another long pass phrase' })
  await expect(phone).toHaveURL(/\/dashboard/)
  expect(pageErrors).toEqual([])
})

test('a Google connection is shown and, after confirmation by mailed code alone, removed', async ({ page }) => {
  const email = `noor.${Date.now().toString(36)}@mail.example`
  const pageErrors = collectPageErrors(page, refusals)
  await page.goto('/signup')
  const popupOpened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continue with Google', exact: true }).click()
  const chooser = await popupOpened
  const field = chooser.getByLabel('Email')
  await expect(chooser.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  if (!(await field.isVisible())) await chooser.getByText('Use another account').click()
  await field.fill(email)
  await chooser.getByLabel('Name', { exact: true }).fill('Noor Haddad')
  const closed = chooser.waitForEvent('close')
  await chooser.getByRole('button', { name: 'Continue' }).click()
  await closed
  await expect(page).toHaveURL(/\/register/)

  await page.goto('/settings')
  await expect(page.getByText('No password. You log in with a link, passkey, or provider.')).toBeVisible()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Connections' }).click()
  await expect(page.getByText(`Connected with ${email}`)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Disconnect Google' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Send me a code' })).toBeFocused()
  await expect(password(page)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  const code = await waitForMailedCode(email, () => page.getByRole('button', { name: 'Send me a code' }).click())
  await page.getByLabel('Code from the email').fill(code)
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(page.getByText('Google disconnected.')).toBeVisible()
  await expect(page.getByText(/^None yet\. To connect Google/)).toBeVisible()
  expect(pageErrors).toEqual([])
})
