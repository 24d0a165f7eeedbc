// Response schemas of the operations on events.
import { z } from '@hono/zod-openapi';
import { LEVEL_0_SCALE } from '../../picture/grids/pixel-grid.ts';
import { named, number, object, text } from '../../platform/http/parameters.ts';

const column = (description: string) => z.union([z.string(), z.number()]).nullable().optional().describe(`HEK: ${description}`);

/** Columns that every HEK record has, null where it has no value. */
const hekColumns = () => ({
  absnetcurrenthelicity: column('absolute net current helicity.'),
  active: column("'true' or 'false'."),
  area_atdiskcenter: column('area as seen at disk centre.'),
  area_atdiskcenteruncert: column('its uncertainty.'),
  area_raw: column('area as measured.'),
  area_uncert: column('its uncertainty.'),
  area_unit: column('unit of the areas.'),
  ar_axislength: column('length of the axis.'),
  ar_compactnesscls: column('compactness class.'),
  ar_lengthunit: column('unit of the lengths.'),
  ar_mcintoshcls: column('McIntosh class.'),
  ar_mtwilsoncls: column('Mount Wilson class.'),
  ar_neutrallength: column('length of the neutral line.'),
});

const labels = () => z.record(z.string(), z.string()).describe('Lines of the label by what they are.');

const outlineColumn = (description: string) => number(`HEK records with an outline: ${description}`).optional();

/** Fields of HEK records for clients that place and draw events themselves. */
const hekFields = () => ({
  hv_labels_formatted: labels().optional(),
  hv_hpc_x_final: number('HEK: as hv_hpc_x.').optional(),
  hv_hpc_y_final: number('HEK: as hv_hpc_y.').optional(),
  hv_rot_hpc_time_base: text('HEK: time of the measurement.').optional(),
  hv_rot_hpc_time_targ: text('HEK: the requested time.').optional(),
  hv_poly_hpc_x_final: outlineColumn('left edge of the picture, arcseconds.'),
  hv_poly_hpc_y_final: outlineColumn('upper edge of the picture, arcseconds, y down.'),
  hv_poly_hpc_x_ul_scaled_norot: outlineColumn('left edge when it was measured.'),
  hv_poly_hpc_y_ul_scaled_norot: outlineColumn('upper edge when it was measured.'),
  hv_poly_width_max_zoom_pixels: outlineColumn(`width in pixels of ${LEVEL_0_SCALE} arcseconds.`),
  hv_poly_height_max_zoom_pixels: outlineColumn('height in these pixels.'),
  hv_marker_offset_x: outlineColumn('position of the pin, from the middle, in these pixels.'),
  hv_marker_offset_y: outlineColumn('position of the pin, from the middle, in these pixels.'),
  hv_poly_url: text('HEK records with an outline: path of its picture.').optional(),
});

const view = () =>
  named('EventView', 'A table of facts to show.', {
    name: z.string(),
    content: z.record(z.string(), z.unknown()),
    tabgroup: z.int().optional(),
  });

const eventRecord = () =>
  z
    .looseObject({
      ...hekColumns(),
      id: text('Id at the source.'),
      legacy_id: text('As id.'),
      path: text('`<source>>><category>>><group>`, of WSA with deeper groups.'),
      concept: text('Name of the category.'),
      frm_name: text('Recognition method, model or type.'),
      frm_institute: text('Institute of the method, or empty.'),
      type: text('Two letters of its own type, as FL.'),
      pin: text('Pin of its category, as AR or C3.'),
      label: text('Lines of the label.'),
      short_label: text('The label in one line.'),
      title: text('As label.'),
      version: text('Version at the source, or empty.'),
      start: text('Start, UTC: `YYYY-MM-DDTHH:MM:SS` in a tree, with a blank for the T in a list.'),
      peak: text('Peak in the same form, or null.').nullable(),
      end: text('End in the same form.'),
      hv_hpc_x: number('Place at the requested time: arcseconds to the west of disk centre.'),
      hv_hpc_y: number('Place at the requested time: arcseconds to the north of disk centre.'),
      ...hekFields(),
      visible: z.boolean().describe('Whether the position is on the visible side of the Sun, or above its limb.'),
      footprint: z
        .array(z.array(z.object({ x: z.number(), y: z.number(), visible: z.literal(false).optional() })))
        .describe(
          'Outlines at the requested time, arcseconds to the west and north, holes among them; `visible` is false behind the limb. Empty for none.',
        ),
      footprint_ring: z
        .array(z.object({ x: z.number(), y: z.number() }))
        .describe('The outline with the most vertices, cut at the limb; for clients that draw one.'),
      link: object('A page about it.', { url: z.string(), text: z.string() }).nullable(),
      views: z.array(view()),
      source: z.record(z.string(), z.unknown()).describe('The record of the source.'),
    })
    .openapi('EventRecord', { description: 'An event; those of the HEK have its columns as well.' });

const eventGroup = () =>
  named('EventGroup', 'Events of one recognition method, model or type.', {
    name: z.string(),
    contact: z.string(),
    url: z.string(),
    data: z.array(eventRecord()),
  });

const eventCategory = () =>
  named('EventCategory', 'Events of one category.', { name: z.string(), pin: z.string(), groups: z.array(eventGroup()) });

/** The operation events: tree, flat, simpletree. */
export const eventsBody = () =>
  z.union([
    z.array(eventCategory()).describe('format=tree'),
    z.array(eventRecord()).describe('format=flat'),
    z.record(z.string(), z.array(eventRecord())).describe('format=simpletree: by `<source>>><category>`.'),
  ]);

/** getEvents and getEventsByEventLayers. */
export const hekList = () => z.union([z.array(eventRecord()), z.literal(false).describe('No events.')]);

/** getEvent. */
export const hekRecord = () =>
  z
    .looseObject({
      concept: text('Name of the category.'),
      event_type: text('Pin, as FL.'),
      hv_labels_formatted: labels(),
      refs: z.array(z.object({ ref_name: z.string(), ref_url: z.string() })),
    })
    .openapi('HekRecord', { description: 'The columns of a HEK record as texts.' });

const method = () =>
  named('EventMethod', 'A recognition method.', {
    frm_name: text('Percent-encoded.'),
    frm_url: z.string(),
    frm_contact: z.string(),
    concept: z.string(),
    count: z.int().min(1).describe('Number of its events.'),
  });

/** getDefaultEventTypes, getEventFRMs and getFRMs. */
export const methodsByType = () =>
  z
    .record(z.string(), z.record(z.string(), method()))
    .openapi('EventMethods', { description: 'By `<name>/<pin>` of the type, then by the name of the method.' });
