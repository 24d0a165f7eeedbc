"""Writes the bytes of known counts by the recipes of the archive, independently of the service: one JSON object a line on stdout,
{"name", "law", "status", "header", "width", "height", "counts", "bytes"}, with counts (float64, NaN where there is no data) and bytes in base64,
row by row from the top. Constants: docs/measure.md. With the argument `smooth` neighbours have similar counts, with noise, as in images of
the Sun."""
import base64
import json
import sys

import numpy as np

SMOOTH = sys.argv[1:] == ["smooth"]
# Not 512, at which images of EIT have half the resolution and four times the counts.
SIDE = 480 if SMOOTH else 96
CENTRE = (SIDE + 1) / 2
rng = np.random.default_rng(28)


def shares():
    """Shares from 0 to 1: of independent pixels, or of a field whose amplitudes fall with the square of the spatial frequency."""
    if not SMOOTH:
        return rng.random((SIDE, SIDE))
    frequency = np.hypot(np.fft.fftfreq(SIDE)[:, None], np.fft.fftfreq(SIDE))
    frequency[0, 0] = np.inf
    field = np.fft.ifft2(np.fft.fft2(rng.normal(size=(SIDE, SIDE))) / frequency**2).real
    # The noise is one or two levels.
    return np.clip(0.5 + 0.17 * field / field.std() + 0.004 * rng.normal(size=field.shape), 0, 1)


def field_strength(gauss):
    """Magnetic fields of both signs: of independent pixels, or of patches in a weak field with a noise of 6 G."""
    if not SMOOTH:
        return rng.normal(0, gauss, (SIDE, SIDE))
    return gauss * ((shares() - 0.5) / 0.33) ** 3 + rng.normal(0, 6, (SIDE, SIDE))


def spread(lo, hi, floor=None):
    """Counts between and beyond the ends: some below the lower end, and negative ones as of a dark corner."""
    counts = lo * 0.4 * (hi / lo * 6.25) ** shares()
    if SMOOTH:
        return counts
    noise = rng.uniform(-3 if floor is None else floor, lo, (SIDE, SIDE))
    return np.where(rng.random((SIDE, SIDE)) < 0.1, noise, counts)


def bytscl(x, low, high):
    return np.floor(255.9999 * (np.clip(x, low, high) - low) / (high - low)).astype(np.uint8)


def own_bytscl(x):
    return bytscl(x, x.min(), x.max())


def xml(fits, comment, notes=None):
    base = {"NAXIS1": SIDE, "NAXIS2": SIDE, "CDELT1": 0.6, "CDELT2": 0.6, "CRPIX1": CENTRE, "CRPIX2": CENTRE, "CRVAL1": 0, "CRVAL2": 0,
            "DATE-OBS": "2021-06-01T00:01:21.347", "DSUN_OBS": 1.5e11, "CTYPE1": "HPLN-TAN", "CTYPE2": "HPLT-TAN"}
    body = "".join(f"<{key}>{value}</{key}>\n" for key, value in {**base, **fits}.items())
    hv = "".join(f"<{key}>{value}</{key}>\n" for key, value in (notes or {}).items())
    return f"<meta>\n<fits>\n{body}</fits>\n<helioviewer>\n{hv}<HV_COMMENT>{comment}</HV_COMMENT>\n</helioviewer>\n</meta>"


def jp2gen(program, setup, version, written="Tue Jun  1 13:41:27 2021"):
    return (f"JP2 file created locally at a place using {program} at {written}.\nContact somebody.\n"
            f"HVS (Helioviewer setup) file used to create this JP2 file: {setup}.pro (version {version}).")


def emit(name, law, status, header, counts, data):
    encode = lambda array: base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    print(json.dumps({"name": name, "law": law, "status": status, "header": header, "width": SIDE, "height": SIDE,
                      "counts": encode(counts.astype(np.float64)), "bytes": encode(data.astype(np.uint8))}))


def frame_statistics(dn):
    return {"DATAMIN": int(dn.min()), "DATAMAX": int(dn.max()), "DATAMEDN": int(np.median(dn)), "DATAMEAN": float(dn.mean())}


# SDO AIA, version 5: DN/s, the ends forced by two pixels.
AIA = {94: ("log", 0.1, 30), 131: ("log", 0.7, 500), 171: ("offset", 6, 1605), 193: ("log", 20, 2500), 211: ("log", 7, 1500),
       304: ("log", 0.8, 250), 335: ("log", 0.4, 80), 1600: ("log", 20, 400), 1700: ("sqrt", 220, 5000), 4500: ("log", 4000, 20000)}


def transfer(kind, v):
    if kind == "offset":
        return np.clip(np.maximum(v - 5, 0.1) ** 0.5, 1, 40)
    return np.log10(v) if kind == "log" else np.sqrt(v)


def photons(dn):
    """Whole DN, with the noise of the photons in a resampled image if neighbours are alike."""
    return np.round(np.maximum(0, dn + 0.6 * np.sqrt(dn) * rng.normal(size=dn.shape)) if SMOOTH else dn)


def aia(channel, kind, lo, hi, exposure, label=None):
    dn = photons(spread(lo, hi) * exposure)
    counts = dn / exposure
    marked = counts.copy()
    marked[-1, 0], marked[-2, 0] = 0, 500000
    clipped = marked if kind == "offset" else np.clip(marked, lo, hi)
    known = counts.copy()
    known[-2:, 0] = np.nan
    fits = {"TELESCOP": "SDO", "INSTRUME": "AIA_3", "WAVELNTH": channel, "EXPTIME": exposure, **frame_statistics(dn)}
    notes = {"HV_HVS_DETAILS_FILENAME": "hvs_version5.pro", "HV_HVS_DETAILS_FILENAME_VERSION": "5.0"}
    if label == "v6":
        notes["HV_REVERSIBLE"] = 1
    law = f"AIA {label or 'v5'} {channel}"
    emit(law, law, "exact", xml(fits, jp2gen("hv_aia_list2jp2_gs2", "hvs_version5", "5.0"), notes), known,
         own_bytscl(transfer(kind, clipped)))


for channel, (kind, lo, hi) in AIA.items():
    aia(channel, kind, lo, hi, 200.0 if channel == 94 else 2.9)
aia(1600, "log", 10, 400, 2.9, "v6")

# SDO AIA of 2010: the ends are those of the image.
exposure, reference = 2.0, 2.9995
dn = photons(np.clip(spread(20.003, 3667, 3) * exposure, 130, 5000))
dn[0, 0] = 1
scaled = dn * reference / exposure
fits = {"TELESCOP": "SDO", "INSTRUME": "AIA_2", "WAVELNTH": 193, "EXPTIME": exposure, **frame_statistics(dn)}
emit("AIA v2 193", "AIA v2 193", "approximate", xml(fits, jp2gen("hv_aia_list2jp2_gs2", "hvs_version2", "2.0")), dn / exposure,
     own_bytscl(np.log10(np.clip(scaled, 60, 11000))))
dn = photons(spread(2, 3000, 0))
dn[0, 0] = 0
fits = {"TELESCOP": "SDO", "INSTRUME": "AIA_3", "WAVELNTH": 171, "EXPTIME": exposure, **frame_statistics(dn)}
emit("AIA v1 171", "AIA v1 171", "approximate", xml(fits, jp2gen("hv_aia_list2jp2_gs2", "hvs_default_aia", "1.0")), dn,
     own_bytscl(np.sqrt(np.clip(dn, 0, 3500))))

# SDO HMI: the disc only.
rows, columns = np.mgrid[0:SIDE, 0:SIDE]
RADIUS = SIDE / 2.4
off_disc = np.hypot(columns + 1 - CENTRE, SIDE - rows - CENTRE) >= RADIUS
gauss = field_strength(140)
gauss.flat[5000:5010] = [-900, 900, 4000, -4000, 300, -300, 249.9, -249.9, 0, 0.1]
disc = {"TELESCOP": "SDO", "INSTRUME": "HMI_FRONT2", "RSUN_OBS": RADIUS * 0.6}
fits = {**disc, "CONTENT": "MAGNETOGRAM", "DATAMIN": gauss.min(), "DATAMAX": gauss.max()}
comment = jp2gen("hv_hmi_list2jp2_gs", "hvs_default_hmi", "1.0")
emit("HMI magnetogram", "HMI magnetogram", "exact", xml(fits, comment), np.where(off_disc, np.nan, gauss),
     bytscl(np.where(off_disc, -300000.0, gauss), -250, 250))
brightness = np.where(off_disc, 0, 200 + 61034.5 * shares())
fits = {**disc, "CONTENT": "CONTINUUM INTENSITY", "BUNIT": "DN/s", "DATAMAX": brightness.max()}
emit("HMI continuum", "HMI continuum", "exact", xml(fits, comment), np.where(off_disc, np.nan, brightness), own_bytscl(brightness))


# SOHO MDI: scaled twice.
def mdi(name, observable, status, counts, a, c, statistics):
    s = bytscl(counts, a, c).astype(np.int64)
    s0, s1 = s[~off_disc].min(), s[~off_disc].max()
    data = np.where(off_disc, 0, np.floor(1 + 254 * (s - s0) / (s1 - s0)))
    fits = {"TELESCOP": "SOHO", "INSTRUME": "MDI", "DPC_OBSR": observable, **statistics}
    header = xml(fits, jp2gen("HV_WRITE_JP2_LWG", "hvs_default_mdi", "1.0"), {"HV_QUICKLOOK": "FALSE"})
    emit(name, name, status, header, np.where(off_disc, np.nan, counts), data)


# Pixels at the edge of the disc are below the scale.
intensity = np.where(np.hypot(columns + 1 - CENTRE, SIDE - rows - CENTRE) >= RADIUS - 1, 300, 300 + 13045.0 * shares())
inside = intensity[~off_disc]
ring = 500
mdi("MDI continuum", "FD_Continuum", "exact", intensity, 1000, 14000,
    {"DATAMIN": 154.0, "DATAMAX": inside.max(), "DATAMEDN": float(np.median(np.concatenate([inside, np.full(ring, 160.0)]))),
     "DATAVALS": inside.size + ring})
field = field_strength(300)
field.flat[4600:4604] = [-1800, 1800, 999, -999]
mdi("MDI magnetogram", "FD_Magnetogram_Sum", "approximate", field, -1000, 1000,
    {"DATAMIN": field[~off_disc].min(), "DATAMAX": field[~off_disc].max()})

# SOHO EIT: 0 is the border of turned frames.
for channel, written, lo, hi in ((171, "Tue Apr 16 09:09:54 2024", 7, 1200), (195, "Tue Apr  6 20:31:22 2010", 2, 700),
                                 (284, "Tue Apr 16 09:09:54 2024", 0.3, 120), (304, "Tue Apr 16 09:09:54 2024", 0.5, 700)):
    counts = spread(lo, hi)
    history = ("Subtracted dark current, EIT_DARK\nDegridded image\nFlat fielded image\nExposure normalized (per sec)\n"
               "Flux normalized to CLEAR Filter\nFlux normalized for time response changes")
    fits = {"TELESCOP": "SOHO", "INSTRUME": "EIT", "WAVELNTH": channel, "history": history}
    data = bytscl(np.log10(np.clip(counts, lo, hi)), np.log10(lo), np.log10(hi))
    emit(f"EIT {channel}", f"EIT {channel}", "approximate", xml(fits, jp2gen("HV_WRITE_JP2_LWG", "hvs_default_eit", "1.0", written)),
         np.where(data == 0, np.nan, counts), data)


# ROB: fits2img rounds.
def rob(name, fits, keyword, top, contact):
    counts = np.clip(spread(top / 300, top / 2, 0), 0, None) * 0.9
    counts.flat[700:703] = 0
    data = np.round(255 * (np.clip(counts, 0, top) / top) ** (1 / 2.2))
    comment = f"\n Contact       : {contact}\n Creation Time : 2025-01-24T10:52:09.697Z\n Software      : SWHV - fits2img\n"
    emit(name, name, "approximate", xml({**fits, keyword: np.minimum(counts, top).mean()}, comment), counts, data)


rob("SWAP 174", {"TELESCOP": "PROBA2", "INSTRUME": "SWAP"}, "SWAVINT", 360, "swap_lyra@oma.be")
rob("EUI FSI 174", {"TELESCOP": "SOLO/EUI/FSI", "DETECTOR": "FSI", "WAVELNTH": 174}, "DATAMEAN", 8191, "swhv@oma.be")

# STEREO EUVI and KCor.
for channel, low, high in ((171, -0.2, 3.7), (195, -0.8, 3.4), (284, -0.7, 2.7), (304, -1.0, 4.0)):
    counts = spread(10**low, 10**high)
    counts = np.where(counts <= 0, 1, counts)
    fits = {"TELESCOP": "STEREO", "INSTRUME": "SECCHI", "WAVELNTH": channel, "BUNIT": "DN/s", "DATAP50": float(np.median(counts))}
    emit(f"EUVI {channel}", f"EUVI {channel}", "approximate", xml(fits, jp2gen("HV_WRITE_JP2_LWG", "hvs_euvi_a", "1.0")), counts,
         bytscl(np.log10(counts), low, high))
brightness = 10 ** (-9 + 3.2 * shares())
data = bytscl((brightness * 1e6) ** 0.7, -0.007, min(1.0, (brightness.max() * 1e6) ** 0.7))
fits = {"TELESCOP": "COSMO", "INSTRUME": "COSMO K-Coronagraph", "DATAMAX": brightness.max()}
emit("KCor pB", "KCor pB", "approximate", xml(fits, jp2gen("HV_WRITE_JP2_LWG", "hvs_kcor", "1.0")), np.where(data == 0, np.nan, brightness), data)

# Laws that the header states.
counts = spread(4, 900, 0)
stated = {"HV_IMG_DMIN": 4, "HV_IMG_DMAX": 900,
          "HV_IMG_FUNCTION": "Two-dimensional image data IMG : IMG = BYTSCL(SQRT(IMG),MIN=SQRT(4),MAX=SQRT(900))"}
fits = {"TELESCOP": "SDO", "INSTRUME": "AIA_3", "WAVELNTH": 1700, "BUNIT": "DN", "DATAMEAN": counts.mean(), "DATAMEDN": np.median(counts),
        "DATAMIN": counts.min(), "DATAMAX": counts.max()}
emit("stated square root", "stated in the header", "exact", xml(fits, "", stated), counts, bytscl(np.sqrt(np.clip(counts, 4, 900)), 2, 30))
counts = -20 + 1120 * shares()
emit("stated linear", "HV_ZERO and HV_SCALE", "approximate", xml({"TELESCOP": "X", "BUNIT": "K"}, "", {"HV_ZERO": 10, "HV_SCALE": 4}), counts,
     np.clip(np.round((counts - 10) / 4), 0, 255))
