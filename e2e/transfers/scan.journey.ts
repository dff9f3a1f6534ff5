import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { launchWithCamera, renderVideo } from '../fake-camera.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible } from '../page-checks.ts'

/** Downloads the picture of a request's QR code, as its requester does. */
async function downloadCodePicture(page: Page): Promise<Buffer> {
  await page.goto('/receive')
  await page.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Show QR code' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download QR' }).click(),
  ])
  return fs.readFileSync(await download.path())
}

test('a code is scanned by the camera or from a picture, and opens its request', async ({ page }, testInfo) => {
  const [, requester] = await enrollSenderAndRecipient(0)
  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  await signInThroughApi(page, requester)
  const picture = await downloadCodePicture(page)
  await page.getByRole('link', { name: 'Scan a code to pay' }).click()
  await expect(page.getByRole('heading', { name: 'Open a payment link' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  // A picture without a code and a link to another site are refused; the right picture opens the request.
  const chooseFile = (name: string, buffer: Buffer) =>
    page.getByLabel('Choose a picture').last().setInputFiles({ name, mimeType: 'image/png', buffer })
  await chooseFile('none.png', await page.screenshot())
  await expect(page.getByText('We found no QR code in this picture.')).toBeVisible()
  await page.getByLabel('Or paste the link').fill('https://elsewhere.example/pay?data=abc')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByText('Paste the whole payment link')).toBeVisible()
  await chooseFile('code.png', picture)
  await expect(page).toHaveURL(url)
  await expect(page.getByRole('heading', { name: 'This is your own request' })).toBeVisible()

  // Scans by camera, in a browser whose fake camera shows the picture.
  const video = await renderVideo(page, { picture, width: 640, height: 480, left: 150, top: 20, side: 440 })
  const browser = await launchWithCamera(testInfo.outputPath('camera.y4m'), video)
  const phone = await browser.newPage({ baseURL: new URL(url).origin })
  await phone.goto('/pay')
  await phone.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(phone).toHaveURL(url)
  await expect(phone.getByText('Harbour tour')).toBeVisible()
  await browser.close()
})
