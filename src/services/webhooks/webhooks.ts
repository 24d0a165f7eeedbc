// What operators do with webhooks, and the job of the clock that announces and delivers.
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { ADDRESS_FORM, webhookAddress } from '../../domain/webhooks/address.ts';
import { newWebhookSecret } from '../../domain/webhooks/signature.ts';
import type { Answer, Delivery, DeliveryState, Webhook, WebhookOrder } from '../../domain/webhooks/webhook.ts';
import type { D1Deliveries, DeliveryCounts } from '../../storage/webhooks/d1-deliveries.ts';
import type { D1Webhooks } from '../../storage/webhooks/d1-webhooks.ts';
import type { SecretBox } from '../sharing/sharing-access.ts';
import { type AnnouncePorts, announceNews, delivery, newCursors } from './announce.ts';
import { type DeliverPorts, deliverDue, secretContext, send } from './deliver.ts';

interface Ports extends AnnouncePorts, DeliverPorts {
  readonly webhooks: D1Webhooks;
  readonly deliveries: D1Deliveries;
  readonly box: SecretBox | null;
  /** For addresses in deliveries; null: that of the request that registers. */
  readonly publicOrigin: string | null;
}

export interface ListedWebhook extends Webhook, DeliveryCounts {}

const NO_DELIVERIES: DeliveryCounts = { waiting: 0, dead: 0 };

export class Webhooks {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Registers a webhook. Its secret is stored sealed, and returned here alone.
   * @throws Failure `bad-parameter`; `conflict` for one too many; `not-implemented` without SESSION_KEY
   */
  async add(order: WebhookOrder, requestOrigin: string): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
    const { webhooks, images, box, rules, publicOrigin, clock } = this.#ports;
    const url = webhookAddress(order.address, rules);
    if (!url) throw badParameter('address', ADDRESS_FORM, order.address);
    if (!box) throw new Failure('not-implemented', 'Webhooks need SESSION_KEY, which is not set. `npm run deploy` makes it.');
    const address = url.href;
    const secret = newWebhookSecret();
    const webhook = await webhooks.add({
      ...order,
      address,
      origin: publicOrigin ?? requestOrigin,
      sealedSecret: await box.seal(secret, secretContext({ address })),
      createdAtMs: clock(),
      cursors: newCursors(order.sources, await images.lastSequences()),
    });
    if (webhook) return { webhook, secret };
    throw new Failure('conflict', `There are ${WEBHOOKS.count} webhooks, which is the most. Remove one first.`);
  }

  async list(): Promise<readonly ListedWebhook[]> {
    const [hooks, counts] = await Promise.all([this.#ports.webhooks.list(), this.#ports.deliveries.counts()]);
    return hooks.map((hook) => ({ ...hook, ...(counts.get(hook.id) ?? NO_DELIVERIES) }));
  }

  /** @throws Failure `unknown-id` */
  async remove(id: number): Promise<void> {
    if (!(await this.#ports.webhooks.remove(id))) throw unknownWebhook(id);
  }

  /** Ends a pause. @throws Failure `unknown-id`; `conflict` for a webhook that is not paused */
  async resume(id: number): Promise<void> {
    await this.#find(id);
    if (!(await this.#ports.webhooks.resume(id))) throw new Failure('conflict', `Webhook ${id} is not paused.`);
  }

  /** Sends a test message at once, which is neither stored nor repeated. @throws Failure `unknown-id` */
  async test(id: number): Promise<Answer & { readonly id: string }> {
    const hook = await this.#find(id);
    const data = { sentence: 'This is a test of the webhook.', webhook: id };
    const message = delivery('test', data, { items: 0, nowMs: this.#ports.clock() });
    return { ...(await send(this.#ports, hook, message)), id: message.id };
  }

  /** The newest deliveries. @throws Failure `unknown-id` */
  async deliveries(id: number, state: DeliveryState | undefined, limit: number): Promise<readonly Delivery[]> {
    await this.#find(id);
    return this.#ports.deliveries.list(id, state, limit);
  }

  /** A delivery with its body. @throws Failure `unknown-id` */
  async delivery(id: number, deliveryId: string): Promise<Delivery> {
    const found = await this.#ports.deliveries.find(id, deliveryId);
    if (found) return found;
    throw new Failure('unknown-id', `Webhook ${id} has no delivery of this id.`, { parameter: 'delivery' });
  }

  /** Lets a dead delivery wait again. @throws Failure `unknown-id`; `conflict` for a delivery that is not dead */
  async sendAgain(id: number, deliveryId: string): Promise<void> {
    const { deliveries, clock } = this.#ports;
    if (!(await deliveries.sendAgain(id, deliveryId, clock()))) throw await this.#notDead(id, deliveryId);
  }

  /** Removes a dead delivery. @throws as `sendAgain` */
  async removeDelivery(id: number, deliveryId: string): Promise<void> {
    if (!(await this.#ports.deliveries.remove(id, deliveryId))) throw await this.#notDead(id, deliveryId);
  }

  /** A minute's work. @returns the deliveries received */
  async run(): Promise<number> {
    const { webhooks, deliveries, clock } = this.#ports;
    const hooks = await webhooks.active();
    await deliveries.sweep(clock());
    await announceNews(this.#ports, hooks);
    return deliverDue(this.#ports, hooks);
  }

  async #find(id: number): Promise<Webhook> {
    const hook = await this.#ports.webhooks.find(id);
    if (!hook) throw unknownWebhook(id);
    return hook;
  }

  async #notDead(id: number, deliveryId: string): Promise<Failure> {
    const { state } = await this.delivery(id, deliveryId);
    return new Failure('conflict', `This delivery is not among the dead letters: it is ${state}.`);
  }
}

const unknownWebhook = (id: number) => new Failure('unknown-id', `No webhook has the number ${id}.`, { parameter: 'id' });
